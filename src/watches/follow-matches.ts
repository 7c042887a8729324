import type { Cancel, Clock } from '../clock/clock.ts';
import { shorten } from '../config/quote.ts';
import { toUnreadGap } from '../output/follow-log.ts';
import { beforeLine, createLineSearch } from '../output/line-search.ts';
import { outputStreams, positionAfter, type StreamPositions } from '../output/output-chunk.ts';
import { maxBytesPerTurn, maxFinalReadFailures, type OutputLog } from '../output/output-log.ts';
import type { OutputStream } from '../output/output-sink.ts';

/** Output within this time is searched together: each search has a fixed cost. */
const GATHER_MS = 50;
/** Maximum per turn of the event loop; about ten milliseconds for the shortest lines. */
const MAX_CHARS_A_TURN = 128 * 1024;
/** Output beyond this is searched at once, which slows its program down: no line may be lost, and memory is bounded. */
const MAX_WAITING_CHARS = 1024 * 1024;
/** Bounds of the matching lines that are shown. */
const MAX_LINES = 20;
const MAX_LINE_LENGTH = 500;

/** Follows the lines of an output that match an expression. A line that continues after the start position counts as a whole. */
export interface MatchFollower {
  /** Returns the newest matches since the last call, oldest first. */
  takeLines(): readonly string[];
  /**
   * Number of bytes before which each match was reported to `onMatched`, and the streams whose unfinished line at that position was
   * reported.
   */
  readonly searched: { readonly toldBytes: number; readonly toldUnfinished: readonly OutputStream[] };
  /**
   * Searches the output up to now and calls back: at once for a small output or one in memory, otherwise after some turns of the event
   * loop. Does not call back if it is stopped before or has a problem.
   */
  finish(onFinished: () => void): void;
  stop(): void;
}

export function followMatches(
  log: OutputLog,
  following: {
    readonly pattern: string;
    /** Start position. Default: the end. */
    readonly from?: StreamPositions;
    /** Streams whose unfinished line at `from` was already reported. Default: none. */
    readonly counted?: readonly OutputStream[];
    readonly clock: Clock;
    readonly onMatched: (count: number) => void;
    /** Called when `searched` may have changed. */
    readonly onSearched?: () => void;
    /** Called when the search stops because the expression takes too long or the rest cannot be read. */
    readonly onProblem: (problem: string) => void;
  },
): MatchFollower {
  const { clock, pattern, from = log.positions, counted = [] } = following;
  const search = createLineSearch({ type: 'pattern', pattern }, { maxLines: MAX_LINES, from, counted });
  let positions = beforeLine(from);
  let searched = { positions: from, counted };
  let lines: readonly string[] = [];
  let cancelSearch: Cancel | null = null;
  let nextTurn: NodeJS.Immediate | null = null;
  let cancelRetry: Cancel | null = null;
  let failures = 0;
  let ending: { readonly until: StreamPositions; readonly onFinished: () => void } | null = null;
  /** `true` while the log has output that was not taken yet. */
  let isBehind = false;
  let isOver = false;

  /** Takes new output. Output on disk can wait there. */
  const take = () => {
    if (cancelRetry !== null) return;
    isBehind = false;
    let room = maxBytesPerTurn;
    for (const piece of log.chunks(positions)) {
      failures = 0;
      positions = { ...positions, [piece.stream]: positionAfter(piece) };
      search.push(piece);
      if (log.onDisk === null) searchOverflow();
      else {
        room -= piece.type === 'chunk' ? piece.bytes.byteLength : 0;
        isBehind = room <= 0 || search.waitingChars > MAX_CHARS_A_TURN;
      }
      if (isOver || isBehind) return;
    }
    retryWhereUnread();
  };

  const searchOverflow = () => {
    while (search.waitingChars > MAX_WAITING_CHARS && !isOver) searchSome(MAX_CHARS_A_TURN);
  };

  /** Retries a failed read later; after the end of the output only a few times. */
  const retryWhereUnread = () => {
    const { onDisk } = log;
    if (onDisk === null || onDisk.readError === null || hasTaken(ending?.until ?? log.positions)) return;
    failures += 1;
    if (ending !== null && failures >= maxFinalReadFailures) return giveUp(onDisk.stream, onDisk.readError);
    cancelRetry = onDisk.retryLater(() => {
      cancelRetry = null;
      gather();
    });
  };

  const giveUp = (stream: OutputStream, trouble: string) => {
    searchSome(Number.POSITIVE_INFINITY);
    if (isOver) return;
    const { droppedBytes } = toUnreadGap(stream, { from: positions, to: ending?.until ?? log.positions });
    const where = log.logFile === null ? '' : ` of ${log.logFile}`;
    fail(`The last ${droppedBytes} bytes${where} cannot be read and were not searched (${trouble}).`);
  };

  const hasTaken = (until: StreamPositions) =>
    outputStreams.every((stream) => positions[stream] >= until[stream]);

  const gather = () => {
    if (isOver) return;
    take();
    if (isOver) return;
    if (search.waitingChars > MAX_CHARS_A_TURN || isBehind || ending !== null) goOn();
    else searchSoon();
  };

  const searchTurn = () => {
    unschedule();
    if (isOver) return;
    searchSome(MAX_CHARS_A_TURN);
    if (isOver) return;
    if (search.waitingChars > 0) goOn();
    else if (isFinished()) end();
    else if (isBehind) gather();
  };

  const isFinished = () => ending !== null && cancelRetry === null && (!isBehind || hasTaken(ending.until));

  const searchSoon = () => {
    cancelSearch ??= clock.at(clock.nowMs() + GATHER_MS, searchTurn, { idle: true });
  };

  const goOn = () => {
    nextTurn ??= setImmediate(searchTurn);
  };

  const searchSome = (maxChars: number) => {
    const found = search.search({ maxChars });
    if (found.type === 'problem') return fail(found.problem);
    if (search.waitingChars === 0) searched = { positions, counted: search.counted };
    if (found.count > 0) {
      const shown = found.lines.map((line) => shorten(log.redact(line), MAX_LINE_LENGTH));
      lines = [...lines, ...shown].slice(-MAX_LINES);
      following.onMatched(found.count);
    }
    following.onSearched?.();
  };

  const fail = (problem: string) => {
    stop();
    following.onProblem(problem);
  };

  const end = () => {
    stop();
    ending?.onFinished();
  };

  const unschedule = () => {
    cancelSearch?.();
    cancelSearch = null;
    if (nextTurn !== null) clearImmediate(nextTurn);
    nextTurn = null;
  };

  const stopRetrying = () => {
    cancelRetry?.();
    cancelRetry = null;
  };

  const stopListening = log.onWrite(gather);
  const stop = () => {
    isOver = true;
    stopListening();
    stopRetrying();
    unschedule();
  };

  // The beginning of an unfinished line is already known; the rest is searched soon, after the caller has its follower.
  take();
  if (outputStreams.some((stream) => positions[stream] > from[stream])) searchSoon();

  return {
    takeLines: () => {
      const taken = lines;
      lines = [];
      return taken;
    },
    get searched() {
      const toldBytes = outputStreams.reduce((bytes, stream) => bytes + searched.positions[stream], 0);
      return { toldBytes, toldUnfinished: searched.counted };
    },
    finish: (onFinished) => {
      failures = 0;
      ending = { until: log.positions, onFinished };
      // Leftovers may continue to write.
      stopListening();
      stopRetrying();
      unschedule();
      take();
      if (isOver) return;
      searchSome(log.onDisk === null ? Number.POSITIVE_INFINITY : MAX_CHARS_A_TURN);
      if (isOver) return;
      if (search.waitingChars === 0 && isFinished()) end();
      else if (cancelRetry === null) goOn();
    },
    stop,
  };
}
