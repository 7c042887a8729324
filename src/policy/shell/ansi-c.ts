const ESCAPE =
  /\\(?:x([\da-fA-F]{1,2})|u([\da-fA-F]{1,4})|U([\da-fA-F]{1,8})|([0-7]{1,3})|c([\s\S])|([abeEfnrtv\\'"?]))/g;

const LETTERS: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  E: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/** Decodes the text between `$'` and `'`, as bash(1) describes under QUOTING. NUL ends it. */
export function decodeAnsiC(text: string): string {
  const decoded = text.replaceAll(ESCAPE, (_, hex, short, long, octal, control, letter) => {
    const digits = hex ?? short ?? long;
    if (digits !== undefined) return toCharacter(Number.parseInt(digits, 16));
    if (octal !== undefined) return toCharacter(Number.parseInt(octal, 8) & 0xff);
    if (control !== undefined) return toCharacter(control.charCodeAt(0) & 0x1f);
    return LETTERS[letter] ?? letter;
  });
  const [beforeNul = ''] = decoded.split('\0', 1);
  return beforeNul;
}

function toCharacter(code: number): string {
  return code <= 0x10ffff ? String.fromCodePoint(code) : '\ufffd';
}
