import type { Cancel, Clock } from '../../clock/clock.ts';
import { shorten } from '../../config/shorten.ts';
import { beforeLine, createLineSearch } from '../../output/line-search.ts';
import { outputStreams, positionAfter, type StreamPositions } from '../../output/output-chunk.ts';
import type { OutputLog } from '../../output/output-log.ts';

/** What comes within so long is searched together: a search has its price, however little it searches. */
const GATHER_MS = 50;
/** So much is searched in one turn of the event loop, of the shortest lines in some ten milliseconds. */
const MAX_CHARS_A_TURN = 128 * 1024;
/** What waits beyond is searched as it comes, which slows its program down: every line counts, and memory has an end. */
const MAX_WAITING_CHARS = 1024 * 1024;
/** What is shown of lines that match. */
const MAX_LINES = 20;
const MAX_LINE_LENGTH = 500;

/** The lines of an output that match an expression, from a place on. A line that goes on behind it counts as a whole. */
export interface MatchFollower {
  /** The newest that were found and not taken yet, oldest first. */
  takeLines(): readonly string[];
  /** Bytes of all streams before which each line that matches was told to `onMatched`. */
  readonly searchedBytes: number;
  /** Searches what has come so far. */
  flush(): void;
  stop(): void;
}

export function followMatches(
  log: OutputLog,
  following: {
    readonly pattern: string;
    /** Default: the end. */
    readonly from?: StreamPositions;
    readonly clock: Clock;
    readonly onMatched: (count: number) => void;
    /** The expression takes too long: nothing is searched any more. */
    readonly onProblem: (problem: string) => void;
  },
): MatchFollower {
  const { clock, pattern, from = log.positions } = following;
  const search = createLineSearch({ type: 'pattern', pattern }, { maxLines: MAX_LINES, from });
  let positions = beforeLine(from);
  let searched = from;
  let lines: readonly string[] = [];
  let cancelSearch: Cancel | null = null;
  let nextTurn: NodeJS.Immediate | null = null;
  /** More is there than was taken. */
  let isBehind = false;
  let isOver = false;

  /** What stands on a disk can wait there. */
  const take = () => {
    isBehind = false;
    for (const piece of log.chunks(positions)) {
      positions = { ...positions, [piece.stream]: positionAfter(piece) };
      search.push(piece);
      isBehind = log.onDisk !== null && search.waitingChars > MAX_CHARS_A_TURN;
      if (isBehind) return;
      while (search.waitingChars > MAX_WAITING_CHARS && !isOver) searchSome(MAX_CHARS_A_TURN);
      if (isOver) return;
    }
  };

  const gather = () => {
    if (isOver) return;
    take();
    if (isOver) return;
    if (search.waitingChars > MAX_CHARS_A_TURN) goOn();
    else searchSoon();
  };

  const searchTurn = () => {
    unschedule();
    if (isOver) return;
    searchSome(MAX_CHARS_A_TURN);
    if (isOver) return;
    if (search.waitingChars > 0) goOn();
    else if (isBehind) gather();
  };

  const searchSoon = () => {
    cancelSearch ??= clock.at(clock.nowMs() + GATHER_MS, searchTurn, { idle: true });
  };

  const goOn = () => {
    nextTurn ??= setImmediate(searchTurn);
  };

  const searchSome = (maxChars: number) => {
    const found = search.search({ maxChars });
    if (found.type === 'problem') {
      stop();
      following.onProblem(found.problem);
      return;
    }
    if (search.waitingChars === 0) searched = positions;
    if (found.count === 0) return;
    const shown = found.lines.map((line) => shorten(log.hide(line), MAX_LINE_LENGTH));
    lines = [...lines, ...shown].slice(-MAX_LINES);
    following.onMatched(found.count);
  };

  const unschedule = () => {
    cancelSearch?.();
    cancelSearch = null;
    if (nextTurn !== null) clearImmediate(nextTurn);
    nextTurn = null;
  };

  const stopListening = log.onWrite(gather);
  const stop = () => {
    isOver = true;
    stopListening();
    unschedule();
  };

  // Of a line that is not finished the beginning is known; what stands behind is searched soon, once somebody can be told.
  take();
  if (outputStreams.some((stream) => positions[stream] > from[stream])) searchSoon();

  return {
    takeLines: () => {
      const taken = lines;
      lines = [];
      return taken;
    },
    get searchedBytes() {
      return outputStreams.reduce((bytes, stream) => bytes + searched[stream], 0);
    },
    flush: () => {
      do {
        take();
        unschedule();
        if (!isOver) searchSome(Number.POSITIVE_INFINITY);
      } while (isBehind && !isOver);
    },
    stop,
  };
}
