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

/** The same for what JSON can say: each text in it, keys too. Anything else stays what it is. */
export function redactValue<T>(value: T, secrets: readonly string[]): T {
  return secrets.length === 0 ? value : (redactWithin(value, secrets) as T);
}

function redactWithin(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redactText(value, secrets);
  if (Array.isArray(value)) return value.map((each) => redactWithin(each, secrets));
  if (!isPlain(value)) return value;
  const entries = Object.entries(value);
  return Object.fromEntries(
    entries.map(([key, each]) => [redactText(key, secrets), redactWithin(each, secrets)]),
  );
}

function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) return false;
  const prototype = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
