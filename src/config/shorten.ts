/** The text with at most `maxLength` UTF-16 units. One that was cut ends in `…`, and no character is cut in half. */
export function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  if (maxLength < 1) return '';
  const kept = text.slice(0, maxLength - 1);
  // The first half of a pair; its other half would be behind the cut.
  return `${/[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept}…`;
}
