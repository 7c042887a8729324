/** `<process_notice` and its end, also with blanks inside, and as it stands in a JSON text. */
const noticeTag = /<(?=(?:\s|\\[nrt]){0,8}\/?(?:\s|\\[nrt]){0,8}process_notice)/gi;

/**
 * Text that cannot be taken for one of our notices, nor end one. Everything that a process, a file or a person wrote goes through
 * here before a model sees it.
 */
export function neutraliseMarkup(text: string): string {
  return text.replace(noticeTag, '&lt;');
}
