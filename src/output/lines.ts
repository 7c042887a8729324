import { createDecoder, type Decoder } from './decode.ts';
import type { OutputChunk, OutputGap } from './output-chunk.ts';
import type { OutputStream } from './output-sink.ts';

export interface OutputLine {
  readonly type: 'line';
  readonly stream: OutputStream;
  /** The line without its line break, LF or CRLF. */
  readonly text: string;
  readonly atMs: number;
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
  atMs: number;
  afterEnd: boolean;
}

export function createLineSplitter(): LineSplitter {
  const open = new Map<OutputStream, OpenLine>();

  function push(chunk: OutputChunk): OutputLine[] {
    const { stream, atMs, afterEnd } = chunk;
    const line = open.get(stream) ?? { stream, decoder: createDecoder(), text: '', atMs, afterEnd };
    open.set(stream, line);
    if (line.text === '') line.atMs = atMs;
    line.afterEnd = afterEnd;
    return cut(line, line.decoder.push(chunk.bytes), atMs);
  }

  function cut(line: OpenLine, added: string, atMs: number): OutputLine[] {
    const found: OutputLine[] = [];
    let from = 0;
    for (let end = added.indexOf('\n'); end !== -1; end = added.indexOf('\n', from)) {
      line.text += added.slice(from, end);
      found.push(...splitLongLine(line), toLine(line, true));
      line.text = '';
      line.atMs = atMs;
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

function toLine({ stream, text, atMs, afterEnd }: OpenLine, complete: boolean): OutputLine {
  const bare = complete && text.endsWith('\r') ? text.slice(0, -1) : text;
  return { type: 'line', stream, text: bare, atMs, afterEnd, complete };
}
