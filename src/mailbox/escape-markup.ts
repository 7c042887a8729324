const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** Returns text that can neither open nor close an element. Control characters except tab and line feed become `\xNN`. */
export function escapeText(text: string): string {
  return text
    .replace(/[&<>]/g, (character) => ENTITIES[character] ?? '')
    .replace(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/g, toHex);
}

/** Returns the same for an attribute, on one line. */
export function escapeAttribute(text: string): string {
  return escapeText(text)
    .replaceAll('"', '&quot;')
    .replace(/[\t\n\u2028\u2029]+/g, ' ');
}

function toHex(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}
