const MARK = '[redacted]';

/** A text as it may be shown: every secret replaced, the longest first, also where its line end was left out. */
export function redactText(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0) return text;
  const forms = new Set(secrets.flatMap((secret) => [secret, secret.replace(/[\r\n]+$/, '')]));
  forms.delete('');
  return [...forms]
    .toSorted((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, MARK), text);
}
