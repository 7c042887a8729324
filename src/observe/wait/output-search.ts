import { createDecoder, type Decoder } from '../../output/decode.ts';
import { grepLines } from '../../output/grep.ts';
import { longestLine } from '../../output/lines.ts';
import type { OutputPiece, StreamPositions } from '../../output/output-chunk.ts';
import type { OutputStream } from '../../output/output-sink.ts';
import { toPlainText } from '../../output/plain-text.ts';

/** How much of an unfinished line is searched whenever it grows. */
const openTailChars = 4096;

/** What is looked for in lines as a person would see them: a text, or a regular expression. */
export type Wanted =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'pattern'; readonly pattern: string };

/**
 * Looks through output as it comes, stream by stream, however it is cut into chunks. Of what stands before `from` only a line
 * that goes on behind it counts. An unfinished line counts, too: a prompt never ends.
 */
export interface OutputSearch {
  push(piece: OutputPiece): void;
  /** Searches what was pushed since the last time. An expression that takes too long is a problem, in words. */
  search(): 'found' | 'nothing' | { readonly problem: string };
}

interface OpenLine {
  readonly decoder: Decoder;
  text: string;
}

export function createOutputSearch(
  wanted: Wanted,
  { from }: { from: StreamPositions | number },
): OutputSearch {
  const open = new Map<OutputStream, OpenLine>();
  const grown = new Set<OutputStream>();
  let fresh: string[] = [];

  function push(piece: OutputPiece): void {
    const { stream } = piece;
    if (piece.type === 'gap') return void open.delete(stream);
    const { bytes } = piece;
    const before = typeof from === 'number' ? from - piece.offset : from[stream] - piece.position;
    // No line that goes on behind it began so far before: of a long log most is passed over.
    if (before - bytes.byteLength > longestLine) return void open.delete(stream);
    const known = Math.min(bytes.byteLength, Math.max(0, before));
    if (known > 0) add(stream, bytes.subarray(0, known));
    if (known === bytes.byteLength) return;
    fresh.push(...add(stream, bytes.subarray(known)));
    grown.add(stream);
  }

  /** The lines that are complete now. */
  function add(stream: OutputStream, bytes: Uint8Array): string[] {
    const line = open.get(stream) ?? { decoder: createDecoder(), text: '' };
    open.set(stream, line);
    const lines = (line.text + line.decoder.push(bytes)).split('\n');
    line.text = lines.pop()?.slice(-longestLine) ?? '';
    return lines;
  }

  function search(): ReturnType<OutputSearch['search']> {
    const unfinished = [...grown].map((stream) => open.get(stream)?.text.slice(-openTailChars) ?? '');
    const lines = [...fresh, ...unfinished].filter((line) => line !== '').map(toPlainText);
    fresh = [];
    grown.clear();
    return find(wanted, lines);
  }

  return { push, search };
}

/** The time box of a search is one of the wall clock: on a busy machine an honest expression may miss it, but not again and again. */
const ATTEMPTS = 3;
/** What is searched within one time box. */
const MAX_LINES = 2_000;

function find(wanted: Wanted, lines: readonly string[]): ReturnType<OutputSearch['search']> {
  if (wanted.type === 'text') return lines.some((line) => line.includes(wanted.text)) ? 'found' : 'nothing';
  for (let from = 0; from < lines.length; from += MAX_LINES) {
    const found = matchLines(lines.slice(from, from + MAX_LINES), wanted.pattern);
    if (found !== 'nothing') return found;
  }
  return 'nothing';
}

function matchLines(lines: readonly string[], pattern: string): ReturnType<OutputSearch['search']> {
  let problem = '';
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const result = grepLines(lines, { pattern });
    if (result.type === 'matches') return result.matches > 0 ? 'found' : 'nothing';
    problem = result.problem;
  }
  return { problem };
}
