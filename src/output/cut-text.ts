import { unfinishedBytes } from './decode.ts';

/** A text that fits, and how many bytes of it do not. */
export interface CutText {
  readonly text: string;
  readonly cutBytes: number;
}

/** The head gets a quarter: what happened last tells more than what happened first. */
const headShare = 0.25;

/**
 * Head and tail of a text that is longer than `maxBytes` of UTF-8, with a line between them that says how much is missing
 * and where to find it. The line is not counted. Cuts at line breaks where there are any near.
 */
export function cutText(text: string, options: { maxBytes: number; logFile: string | null }): CutText {
  const { maxBytes } = options;
  if (text.length * 3 <= maxBytes) return { text, cutBytes: 0 };
  const bytes = Buffer.from(text);
  if (bytes.byteLength <= maxBytes) return { text, cutBytes: 0 };
  return cutEnds({ head: bytes, tail: bytes, betweenBytes: -bytes.byteLength }, options);
}

/** The same of a text whose middle nobody has looked at: `betweenBytes` of it lie between `head` and `tail`. */
export function cutEnds(
  { head, tail, betweenBytes }: { head: Buffer; tail: Buffer; betweenBytes: number },
  { maxBytes, logFile }: { maxBytes: number; logFile: string | null },
): CutText {
  const headBytes = Math.floor(maxBytes * headShare);
  const headEnd = head.byteLength <= headBytes ? head.byteLength : toLineEnd(head, headBytes);
  const tailBytes = maxBytes - headEnd;
  const tailStart =
    tail.byteLength <= tailBytes ? 0 : toLineStart(tail, Math.max(0, tail.byteLength - tailBytes));
  const cutBytes = betweenBytes + (head.byteLength - headEnd) + tailStart;
  const where = logFile === null ? '' : `; all of it is in ${logFile}`;
  const shownHead = head.subarray(0, headEnd).toString();
  const line = `[… ${cutBytes} bytes left out${where} …]`;
  const lead = shownHead === '' || shownHead.endsWith('\n') ? '' : '\n';
  return { text: `${shownHead}${lead}${line}\n${tail.subarray(tailStart).toString()}`, cutBytes };
}

/** The last line break in the second half before the place, else the last whole character. */
function toLineEnd(bytes: Buffer, place: number): number {
  const lineEnd = place === 0 ? 0 : bytes.lastIndexOf(10, place - 1) + 1;
  return lineEnd * 2 > place ? lineEnd : place - unfinishedBytes(bytes.subarray(0, place));
}

function toLineStart(bytes: Buffer, place: number): number {
  const lineStart = bytes.indexOf(10, place - 1) + 1;
  if (lineStart > 0 && lineStart - place < (bytes.byteLength - place) / 2) return lineStart;
  let start = place;
  while (start < bytes.byteLength && ((bytes[start] ?? 0) & 0b1100_0000) === 0b1000_0000) start += 1;
  return start;
}

/** `10.0 MiB`. */
export function toByteWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(1)} KiB`;
  return bytes < 1024 ** 3
    ? `${(bytes / 1024 ** 2).toFixed(1)} MiB`
    : `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
