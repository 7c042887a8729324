/**
 * Returns the size of the head that stays of a log at its cap: a sixteenth of it. The newest eighth stays, too; the rest is
 * room, so that a growing log is cut rarely.
 */
export function headBytesOf(maxBytes: number): number {
  return Math.floor(maxBytes / 16);
}

/** Returns the size of the tail that stays. */
export function tailBytesOf(maxBytes: number): number {
  return Math.floor(maxBytes / 8);
}

/** Formats a line of our own in a log. */
export function toNotice(text: string): string {
  return `\n[troupe: ${text}]\n`;
}

/** Formats the text of a notice about missing output. */
export function toMissingText(bytes: number, reason: string): string {
  return `${bytes} bytes missing here: ${reason}`;
}

/** Formats the notice that replaces output removed at the cap. */
export function toAtCapNotice(bytes: number): string {
  return toNotice(toMissingText(bytes, 'the log file is at its cap'));
}

/** The notice before output of leftovers. */
export const endedText =
  'the process has ended; the following output was written by processes that it left running';

const noticeStart = '\n[troupe: ';
const notice = /^\n\[troupe: (?:(\d{1,15}) bytes missing here: [^\]\n]*|the process has ended; [^\]\n]*)\]\n/;
/** Maximum length of a notice, in bytes. */
export const longestNoticeBytes = 256;

/** Finds notices that begin in a part of a log. */
export function findNotices(
  part: Buffer,
): { readonly at: number; readonly bytes: number; readonly missingBytes: number }[] {
  const found = [];
  for (let at = part.indexOf(noticeStart); at !== -1; at = part.indexOf(noticeStart, at + 1)) {
    const [whole, missing = '0'] = notice.exec(part.toString('latin1', at, at + longestNoticeBytes)) ?? [];
    if (whole !== undefined) found.push({ at, bytes: whole.length, missingBytes: Number(missing) });
  }
  return found;
}
