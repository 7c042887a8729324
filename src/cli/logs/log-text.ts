import { createDecoder, type Decoder } from '../../output/decode.ts';
import { unfinishedEscapeLength } from '../../output/plain-text.ts';
import { toPrintable } from '../render/printable.ts';
import type { LogPiece } from './log-piece.ts';

/** Turns pieces into what is written to stdout. */
export interface LogText {
  push(piece: LogPiece): string | Uint8Array;
  end(): string;
}

/** As it was written, byte by byte. */
export function createRawText(): LogText {
  return { push: ({ bytes }) => bytes, end: () => '' };
}

/** One JSON object a line; what is no UTF-8 by itself, such as a part of a character, is given in base64. */
export function createJsonText(): LogText {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  const toContent = (bytes: Uint8Array) => {
    try {
      return { text: decoder.decode(bytes) };
    } catch {
      return { base64: Buffer.from(bytes).toString('base64') };
    }
  };
  return {
    push: ({ offset, stream, bytes }) => `${JSON.stringify({ offset, stream, ...toContent(bytes) })}\n`,
    end: () => '',
  };
}

/**
 * For a terminal: nothing in it is obeyed but the end of a line and the return to its beginning, which erases the line. So a
 * progress bar moves, and nothing above it can be changed.
 */
export function createTerminalText(): LogText {
  const streams = new Map<LogPiece['stream'], { readonly decoder: Decoder; rest: string }>();
  return {
    push: ({ stream, bytes }) => {
      const state = streams.get(stream) ?? { decoder: createDecoder(), rest: '' };
      streams.set(stream, state);
      const text = state.rest + state.decoder.push(bytes);
      const whole = text.slice(0, text.length - unfinishedLength(text));
      state.rest = text.slice(whole.length);
      return toTerminal(whole);
    },
    end: () =>
      [...streams.values()]
        .map(({ decoder, rest }) => toTerminal((rest + decoder.flush()).replace(/\r$/, '')))
        .join(''),
  };
}

/** A carriage return may be the first half of the end of a line. An escape sequence that never ends must not hold back all. */
function unfinishedLength(text: string): number {
  if (text.endsWith('\r')) return 1;
  const length = unfinishedEscapeLength(text);
  return length > 4096 ? 0 : length;
}

function toTerminal(text: string): string {
  return text.replaceAll('\r\n', '\n').split('\r').map(toPrintable).join('\r\x1b[K');
}
