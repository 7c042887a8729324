import { inspect } from 'node:util';
import { createDecoder, type Decoder } from '../output/decode.ts';
import { followLog } from '../output/follow-log.ts';
import { longestLine } from '../output/lines.ts';
import type { OutputPiece } from '../output/output-chunk.ts';
import type { OutputLog } from '../output/output-log.ts';
import type { OutputStream } from '../output/output-sink.ts';
import { toPlainText } from '../output/plain-text.ts';
import type { ReadinessCondition } from './readiness-condition.ts';

/** How much of the end of an unfinished line is searched whenever it grows. */
const openTailChars = 4096;

/**
 * Holds when a line, as a person would see it, contains the text or matches the expression, from `fromOffset` on. Text is
 * found in a line that is not complete yet as well, since a prompt never is; what an expression says of the end of a line needs that end.
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

/** Not the search of `output`: that one looks for expressions in unfinished lines, too, and knows none with flags. */
function createLineSearch(wanted: string | RegExp) {
  const open = new Map<OutputStream, OpenLine>();
  const isWanted = createTest(wanted);

  /** @returns whether it was found. */
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

/** The caller's expression is left alone: with the flag g or y it carries state from one test to the next. */
function createTest(wanted: string | RegExp): (line: string) => boolean {
  if (typeof wanted === 'string') return (line) => line.includes(wanted);
  const own = new RegExp(wanted);
  return (line) => {
    own.lastIndex = 0;
    return own.test(line);
  };
}
