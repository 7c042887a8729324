import type { Cancel, Clock } from '../../clock/clock.ts';
import { shorten } from '../../config/shorten.ts';
import { createLineSearch } from '../../output/line-search.ts';
import { positionAfter, type StreamPositions } from '../../output/output-chunk.ts';
import type { OutputLog } from '../../output/output-log.ts';

/** What comes within so long is searched together: a search has its price, however little it searches. */
const GATHER_MS = 50;
/** So much is searched at once. */
const MAX_WAITING_CHARS = 256 * 1024;
/** What is shown of lines that match. */
const MAX_LINES = 20;
const MAX_LINE_LENGTH = 500;

/** The lines of an output that match an expression, from now on. */
export interface MatchFollower {
  /** The newest that were found and not taken yet, oldest first. */
  takeLines(): readonly string[];
  /** Searches what has come so far. */
  flush(): void;
  stop(): void;
}

export function followMatches(
  log: OutputLog,
  following: {
    readonly pattern: string;
    readonly clock: Clock;
    readonly onMatched: (count: number) => void;
    /** The expression takes too long: nothing is searched any more. */
    readonly onProblem: (problem: string) => void;
  },
): MatchFollower {
  const { clock } = following;
  const search = createLineSearch({ type: 'pattern', pattern: following.pattern }, { maxLines: MAX_LINES });
  let positions: StreamPositions = log.positions;
  let lines: readonly string[] = [];
  let cancelSearch: Cancel | null = null;
  let isOver = false;

  const gather = () => {
    if (isOver) return;
    for (const piece of log.chunks(positions)) {
      positions = { ...positions, [piece.stream]: positionAfter(piece) };
      search.push(piece);
      if (search.waitingChars > MAX_WAITING_CHARS) searchNow();
      if (isOver) return;
    }
    cancelSearch ??= clock.at(clock.nowMs() + GATHER_MS, searchNow, { idle: true });
  };

  const searchNow = () => {
    cancelSearch?.();
    cancelSearch = null;
    if (isOver) return;
    const found = search.search();
    if (found.type === 'problem') {
      stop();
      following.onProblem(found.problem);
    } else if (found.count > 0) {
      const shown = found.lines.map((line) => shorten(log.hide(line), MAX_LINE_LENGTH));
      lines = [...lines, ...shown].slice(-MAX_LINES);
      following.onMatched(found.count);
    }
  };

  const stopListening = log.onWrite(gather);
  const stop = () => {
    isOver = true;
    stopListening();
    cancelSearch?.();
    cancelSearch = null;
  };

  return {
    takeLines: () => {
      const taken = lines;
      lines = [];
      return taken;
    },
    flush: () => {
      gather();
      searchNow();
    },
    stop,
  };
}
