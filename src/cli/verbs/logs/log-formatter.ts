import { createDecoder, type Decoder } from '../../../output/decode.ts';
import { unfinishedEscapeLength } from '../../../output/plain-text.ts';
import { toColoured, toPrintable } from '../../render/printable.ts';
import type { LogPiece, TimedPiece } from './log-reader.ts';

/** Turns pieces into bytes or text for stdout. */
export interface LogFormatter {
  push(piece: TimedPiece): string | Uint8Array;
  end(): string;
}

/** Passes bytes on unchanged. */
export function createRawFormatter(): LogFormatter {
  return { push: ({ bytes }) => bytes, end: () => '' };
}

/** Puts a name, a time or both before each line of another formatter, and writes only whole lines. */
export function createPrefixedFormatter(
  text: LogFormatter,
  {
    toName,
    isTerminal,
  }: {
    /** Returns the prefix of a line that begins with this piece. */
    readonly toName: (piece: TimedPiece) => string;
    readonly isTerminal: boolean;
  },
): LogFormatter {
  let margin = Buffer.alloc(0);
  const parts: Uint8Array[] = [];

  const takeLines = (bytes: Uint8Array): Uint8Array => {
    const end = bytes.lastIndexOf(NEWLINE) + 1;
    if (end === 0) {
      parts.push(bytes);
      return new Uint8Array(0);
    }
    const whole = Buffer.concat([...parts.splice(0), bytes.subarray(0, end)]);
    if (end < bytes.byteLength) parts.push(bytes.subarray(end));
    return addMargin(whole);
  };
  const addMargin = (lines: Buffer): Buffer => {
    const named: Uint8Array[] = [];
    for (let from = 0; from < lines.byteLength; ) {
      const end = lines.indexOf(NEWLINE, from) + 1;
      const line = lines.subarray(from, end);
      named.push(margin, isTerminal ? toLastDrawn(line) : line);
      from = end;
    }
    return Buffer.concat(named);
  };

  return {
    push: (piece) => {
      if (parts.length === 0) margin = Buffer.from(`${toName(piece)} `);
      return takeLines(Buffer.from(text.push(piece)));
    },
    end: () => {
      const rest = Buffer.concat([...parts.splice(0), Buffer.from(text.end())]);
      // Colours were reset at the end of every line.
      if (rest.byteLength === 0 || rest.equals(Buffer.from(resetColours))) return '';
      return addMargin(Buffer.concat([rest, Buffer.from('\n')])).toString();
    },
  };
}

/** Keeps what was drawn last over the line, so that it cannot cover the name, and resets colours at its end. */
function toLastDrawn(line: Buffer): Buffer {
  const drawn = line.lastIndexOf(eraseLine);
  const last = drawn === -1 ? line : line.subarray(drawn + eraseLine.length);
  if (!last.includes('\x1b')) return last;
  return Buffer.concat([last.subarray(0, -1), Buffer.from(`${resetColours}\n`)]);
}

/** Prints one JSON object per line; bytes that are not valid UTF-8, such as part of a character, are base64. */
export function createJsonFormatter(more: { readonly id?: string } = {}): LogFormatter {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const toContent = (bytes: Uint8Array) => {
    try {
      return { text: decoder.decode(bytes) };
    } catch {
      return { base64: Buffer.from(bytes).toString('base64') };
    }
  };
  return {
    push: ({ offset, stream, bytes, time }) =>
      `${JSON.stringify({ ...more, offset, stream, at: time.earliest, latestAt: time.latest, ...toContent(bytes) })}\n`,
    end: () => '',
  };
}

/**
 * Strips everything for a terminal except colours, if wanted, newlines, and carriage returns, which erase the line. A progress bar still
 * moves, but no line above it can be changed.
 */
export function createTerminalFormatter({ hasColours }: { readonly hasColours: boolean }): LogFormatter {
  let isColoured = false;
  const show = (text: string) => {
    const shown = toTerminal(text, hasColours ? toColoured : toPrintable);
    isColoured ||= shown.includes('\x1b[') && hasColours;
    return shown;
  };
  const streams = new Map<LogPiece['stream'], { readonly decoder: Decoder; rest: string }>();
  return {
    push: ({ stream, bytes }) => {
      const state = streams.get(stream) ?? { decoder: createDecoder(), rest: '' };
      streams.set(stream, state);
      const text = state.rest + state.decoder.push(bytes);
      const whole = text.slice(0, text.length - unfinishedLength(text));
      state.rest = text.slice(whole.length);
      return show(whole);
    },
    end: () => {
      const rests = [...streams.values()].map(({ decoder, rest }) => rest + decoder.flush());
      const text = rests.map((rest) => show(rest.replace(/\r$/, ''))).join('');
      return isColoured ? `${text}${resetColours}` : text;
    },
  };
}

/** Returns the length of an unfinished tail: a carriage return that may belong to a newline, or a short escape sequence. */
function unfinishedLength(text: string): number {
  if (text.endsWith('\r')) return 1;
  const length = unfinishedEscapeLength(text);
  return length > 4096 ? 0 : length;
}

function toTerminal(text: string, toShown: (text: string) => string): string {
  const returned = text.replaceAll('\r\n', '\n').replace(toFirstColumn, '\r');
  return returned.split('\r').map(toShown).join(eraseLine);
}

/** CHA, which spinners use to return to the first column. */
const toFirstColumn = /\x1b\[[01]?G/g;
const resetColours = '\x1b[0m';
const eraseLine = '\r\x1b[K';
const NEWLINE = 10;
