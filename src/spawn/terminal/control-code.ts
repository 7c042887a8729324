/** What Ctrl makes of a character, or `null` where a terminal knows no such thing. The digits as xterm has them. */
export function controlCodeOf(character: string): string | null {
  const upper = (aliases.get(character) ?? character).toUpperCase();
  if (upper === '?') return '\x7f';
  return /^[@A-Z[\\\]^_]$/.test(upper) ? String.fromCharCode(upper.charCodeAt(0) & 0x1f) : null;
}

const aliases: ReadonlyMap<string, string> = new Map([
  [' ', '@'],
  ['2', '@'],
  ['3', '['],
  ['4', '\\'],
  ['5', ']'],
  ['6', '^'],
  ['7', '_'],
  ['/', '_'],
  ['8', '?'],
]);
