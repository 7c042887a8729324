import { inspect } from 'node:util';
import { createDecoder, type Decoder } from '../output/decode.ts';
import { followLog } from '../output/follow-log.ts';
import { longestLine } from '../output/lines.ts';
import type { OutputPiece } from '../output/output-chunk.ts';
import type { OutputLog } from '../output/output-log.ts';
import type { OutputStream } from '../output/output-sink.ts';
import { toPlainText } from '../output/plain-text.ts';
import type { ReadinessCondition } from './readiness-condition.ts';

/** Maximum part at the end of an unfinished line that is searched whenever the line grows. */
const openTailChars = 4096;

/**
 * Holds when a line, as a terminal shows it, contains the text or matches the expression, from `fromOffset` on. Text is
 * also found in an unfinished line, such as a prompt; an expression that matches the end of a line needs a finished one.
 */
export function lineReady(
  wanted: string | RegExp,
  { log, fromOffset }: { log: OutputLog; fromOffset: number },
): ReadinessCondition {
  const described = typeof wanted === 'string' ? `contains ${inspect(wanted)}` : `matches ${inspect(wanted)}`;
  return {
    describe: () => `a line that ${described}`,
    watch: ({ onHolds }) => {
      const search = createLineSearch(wanted);
      let isFound = false;
      return followLog(log, {
        from: log.positionsAt(fromOffset),
        onPiece: (piece) => {
          isFound = search.push(piece);
          if (isFound) onHolds();
        },
        isCancelled: () => isFound,
      });
    },
  };
}

interface OpenLine {
  readonly decoder: Decoder;
  text: string;
}

/** Creates a search for lines. Unlike the search of `output` it supports flags and ignores unfinished lines for expressions. */
function createLineSearch(wanted: string | RegExp) {
  const open = new Map<OutputStream, OpenLine>();
  const isWanted = createTest(wanted);

  /** Returns `true` if the line was found. */
  function push(piece: OutputPiece): boolean {
    const { stream } = piece;
    if (piece.type === 'gap') {
      open.delete(stream);
      return false;
    }
    const line = open.get(stream) ?? { decoder: createDecoder(), text: '' };
    open.set(stream, line);
    const lines = (line.text + line.decoder.push(piece.bytes)).split('\n');
    line.text = lines.pop()?.slice(-longestLine) ?? '';
    return lines.some((each) => isWanted(toPlainText(each))) || isInOpenText(line.text);
  }

  function isInOpenText(text: string): boolean {
    if (typeof wanted !== 'string' || text === '') return false;
    return isWanted(toPlainText(text.slice(-openTailChars - wanted.length)));
  }

  return { push };
}

/** Creates a test from a copy of the expression: with the flag g or y an expression keeps state between tests. */
function createTest(wanted: string | RegExp): (line: string) => boolean {
  if (typeof wanted === 'string') return (line) => line.includes(wanted);
  const own = new RegExp(wanted);
  return (line) => {
    own.lastIndex = 0;
    return own.test(line);
  };
}
