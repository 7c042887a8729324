const MAX_LENGTH = 80;

/** Somebody's words as they may stand in a message: in quotes, no control character of a terminal in clear, not too long. */
export function quote(text: string): string {
  // JSON leaves DEL, the C1 controls and what turns the direction of writing.
  return JSON.stringify(shorten(text, MAX_LENGTH)).replace(
    /[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** The text with at most `maxLength` UTF-16 units. One that was cut ends in `…`, and no character is cut in half. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  if (maxLength < 1) return '';
  const kept = text.slice(0, maxLength - 1);
  // The first half of a pair; its other half would be behind the cut.
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}
