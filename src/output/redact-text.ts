import { createRedactor } from './redact.ts';
import { redactedMark } from './secret-mark.ts';

/**
 * A text as it may be shown, by the rules of `createRedactor`: also half a secret and more is replaced. Marks that it has already stay as
 * they are. The same text where there is nothing to hide.
 */
export function redactText(text: string, secrets: readonly string[]): string {
  const redactor = createRedactor(secrets);
  if (redactor === null) return text;
  const redact = (part: string) =>
    Buffer.concat([redactor.push(Buffer.from(part)), redactor.flush()]).toString();
  const isMarkSecret = secrets.some((secret) => secret.includes(redactedMark));
  const shown = isMarkSecret ? redact(text) : text.split(redactedMark).map(redact).join(redactedMark);
  // UTF-8 has no half characters of UTF-16.
  return shown === text.toWellFormed() ? text : shown;
}
