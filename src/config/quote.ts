const MAX_LENGTH = 80;

/** Quotes text for a message: in quotes, with control characters of terminals escaped, and shortened. */
export function quote(text: string): string {
  // JSON does not escape DEL, the C1 controls and direction marks.
  return JSON.stringify(shorten(text, MAX_LENGTH)).replace(
    /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** Shortens a text to at most `maxLength` UTF-16 units, ending in `…`, without dividing a character. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  if (maxLength < 1) return '';
  const kept = text.slice(0, maxLength - 1);
  // Drops the first half of a surrogate pair that the cut divided.
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}

/** Returns a sentence without its full stop, for use inside another one. */
export function toClause(sentence: string): string {
  return sentence.replace(/\.$/, '');
}
