import type { Clock } from '../clock/clock.ts';
import { createDecoder, type Decoder } from './decode.ts';
import type { OutputChunk, OutputGap } from './output-chunk.ts';
import type { OutputStream } from './output-sink.ts';

/** A line of output. */
export interface OutputLine {
  readonly type: 'line';
  readonly stream: OutputStream;
  /** The line without its line break, LF or CRLF. */
  readonly text: string;
  /** Arrival time of its first byte: milliseconds since the epoch, for `new Date(at)`. */
  readonly at: number;
  /** Written by leftovers after the process had ended. */
  readonly afterEnd: boolean;
  /** `false` if the line continues in the next one of its stream, or was cut off by a gap or the end. */
  readonly complete: boolean;
}

/** Splits chunks into lines, per stream. */
interface LineSplitter {
  push(chunk: OutputChunk): OutputLine[];
  /** Returns the line interrupted by the gap. */
  breakAt(gap: OutputGap): OutputLine[];
  /** Returns the last lines, which have no line break. */
  flush(): OutputLine[];
}

/** Longer lines are emitted in pieces of this many characters. */
export const longestLine = 64 * 1024;

interface OpenLine {
  readonly stream: OutputStream;
  decoder: Decoder;
  text: string;
  at: number;
  afterEnd: boolean;
}

/** Creates a splitter for the chunks of one log; its lines have the time of day by that clock. */
export function createLineSplitter(clock: Pick<Clock, 'nowMs' | 'epochMs'>): LineSplitter {
  const open = new Map<OutputStream, OpenLine>();

  function push(chunk: OutputChunk): OutputLine[] {
    const { stream, afterEnd } = chunk;
    const at = Math.round(clock.epochMs() + chunk.atMs - clock.nowMs());
    const line = open.get(stream) ?? { stream, decoder: createDecoder(), text: '', at, afterEnd };
    open.set(stream, line);
    if (line.text === '') line.at = at;
    line.afterEnd = afterEnd;
    return cut(line, line.decoder.push(chunk.bytes), at);
  }

  function cut(line: OpenLine, added: string, at: number): OutputLine[] {
    const found: OutputLine[] = [];
    let from = 0;
    for (let end = added.indexOf('\n'); end !== -1; end = added.indexOf('\n', from)) {
      line.text += added.slice(from, end);
      found.push(...splitLongLine(line), toLine(line, true));
      line.text = '';
      line.at = at;
      from = end + 1;
    }
    line.text += added.slice(from);
    found.push(...splitLongLine(line));
    return found;
  }

  function breakAt(gap: OutputGap): OutputLine[] {
    const line = open.get(gap.stream);
    open.delete(gap.stream);
    return line === undefined ? [] : end(line);
  }

  function flush(): OutputLine[] {
    const rest = [...open.values()].flatMap(end);
    open.clear();
    return rest;
  }

  return { push, breakAt, flush };
}

/** Splits neither a surrogate pair nor a CR from an LF that may follow. */
function splitLongLine(line: OpenLine): OutputLine[] {
  const found: OutputLine[] = [];
  while (line.text.length > longestLine) {
    const last = line.text.charCodeAt(longestLine - 1);
    const isDivided = (last >= 0xd800 && last < 0xdc00) || last === 0x0d;
    const length = isDivided ? longestLine - 1 : longestLine;
    const { text } = line;
    found.push(toLine({ ...line, text: text.slice(0, length) }, false));
    line.text = text.slice(length);
  }
  return found;
}

function end(line: OpenLine): OutputLine[] {
  line.text += line.decoder.flush();
  return line.text === '' ? [] : [toLine(line, false)];
}

function toLine({ stream, text, at, afterEnd }: OpenLine, complete: boolean): OutputLine {
  const bare = complete && text.endsWith('\r') ? text.slice(0, -1) : text;
  return { type: 'line', stream, text: bare, at, afterEnd, complete };
}
