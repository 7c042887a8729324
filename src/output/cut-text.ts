import { unfinishedBytes } from './decode.ts';

/** A part of shown output: text, or a place where output is missing. */
export type TextPart =
  | { readonly type: 'text'; readonly text: string }
  | {
      readonly type: 'gap';
      readonly bytes: number;
      /** The line that stands for the gap in uncut text; `null` forces a cut there. */
      readonly line: string | null;
    };

interface CutText {
  readonly text: string;
  /** Bytes that the text does not show, including those of its gaps. */
  readonly omittedBytes: number;
  readonly isCut: boolean;
}

interface CutOptions {
  /** Limit in UTF-8 bytes, not counting lines about missing output. */
  readonly maxBytes: number;
  /** Tells where the rest can be read, as the end of a sentence; empty if nowhere. */
  readonly where: string;
}

/** The head gets a quarter: the newest output is the most informative. */
const headShare = 0.25;

/**
 * Joins the parts. Text longer than `maxBytes` keeps its head and tail, with one line between them that
 * counts everything missing there, whether cut or already a gap. Cuts at a nearby line break if there is one.
 */
export function cutText(parts: readonly TextPart[], { maxBytes, where }: CutOptions): CutText {
  const isForced = parts.some((part) => part.type === 'gap' && part.line === null);
  const [gapBytes, textBytes] = [gapBytesOf(parts), textBytesOf(parts)];
  if (!isForced && textBytes <= maxBytes)
    return { text: joinParts(parts), omittedBytes: gapBytes, isCut: false };
  const { head, rest } = splitHead(parts, Math.floor(maxBytes * headShare));
  const tail = takeTail(rest, maxBytes - textBytesOf(head));
  const omittedBytes = gapBytes + textBytes - textBytesOf(head) - textBytesOf(tail);
  const missingBytes = omittedBytes - gapBytesOf(head) - gapBytesOf(tail);
  const start = ownLine(joinParts(head), `[… ${missingBytes} bytes left out${where} …]`);
  return { text: start + joinParts(tail), omittedBytes, isCut: true };
}

/** Splits off the head that fits, ending with text. */
function splitHead(
  parts: readonly TextPart[],
  maxBytes: number,
): { readonly head: readonly TextPart[]; readonly rest: readonly TextPart[] } {
  let room = maxBytes;
  for (const [index, part] of parts.entries()) {
    if (part.type === 'gap') {
      if (part.line === null) return withTextAtEnd(parts.slice(0, index), parts.slice(index));
      continue;
    }
    const bytes = Buffer.from(part.text);
    if (bytes.byteLength > room) {
      const end = toLineEnd(bytes, room);
      const left = [...toPart(bytes.subarray(end)), ...parts.slice(index + 1)];
      return withTextAtEnd([...parts.slice(0, index), ...toPart(bytes.subarray(0, end))], left);
    }
    room -= bytes.byteLength;
  }
  return { head: parts, rest: [] };
}

/** Moves gaps next to the cut into the rest, so that they are counted with it. */
function withTextAtEnd(head: readonly TextPart[], rest: readonly TextPart[]) {
  const end = head.findLastIndex(({ type }) => type === 'text') + 1;
  return { head: head.slice(0, end), rest: [...head.slice(end), ...rest] };
}

function takeTail(parts: readonly TextPart[], maxBytes: number): readonly TextPart[] {
  const taken: TextPart[] = [];
  let room = maxBytes;
  for (const part of parts.toReversed()) {
    if (part.type === 'gap') {
      if (part.line === null) break;
      taken.unshift(part);
      continue;
    }
    const bytes = Buffer.from(part.text);
    const start = bytes.byteLength <= room ? 0 : toLineStart(bytes, bytes.byteLength - room);
    taken.unshift(...toPart(bytes.subarray(start)));
    if (start > 0) break;
    room -= bytes.byteLength;
  }
  const first = taken.findIndex(({ type }) => type === 'text');
  return first === -1 ? [] : taken.slice(first);
}

function toPart(bytes: Buffer): TextPart[] {
  return bytes.byteLength === 0 ? [] : [{ type: 'text', text: bytes.toString() }];
}

function textBytesOf(parts: readonly TextPart[]): number {
  return parts.reduce((sum, part) => sum + (part.type === 'text' ? Buffer.byteLength(part.text) : 0), 0);
}

function gapBytesOf(parts: readonly TextPart[]): number {
  return parts.reduce((sum, part) => sum + (part.type === 'gap' ? part.bytes : 0), 0);
}

export function joinParts(parts: readonly TextPart[]): string {
  return parts.reduce(
    (text, part) => (part.type === 'text' ? text + part.text : ownLine(text, part.line ?? '')),
    '',
  );
}

function ownLine(text: string, line: string): string {
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${line}\n`;
}

/** Returns the last line break in the second half before `place`, else the last whole character. */
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

/** Formats a size, such as `10.0 MiB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 ** 2) return `${(bytes / 1024).toFixed(1)} KiB`;
  return bytes < 1024 ** 3
    ? `${(bytes / 1024 ** 2).toFixed(1)} MiB`
    : `${(bytes / 1024 ** 3).toFixed(1)} GiB`;
}
