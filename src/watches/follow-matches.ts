import type { Cancel, Clock } from '../clock/clock.ts';
import { shorten } from '../config/quote.ts';
import { maxBytesPerTurn, ReadFailures } from '../output/follow-log.ts';
import { beforeLine, createLineSearch } from '../output/line-search.ts';
import { outputStreams, positionAfter, type StreamPositions } from '../output/output-chunk.ts';
import type { OutputLog } from '../output/output-log.ts';
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

/** Pattern, first offset and receiver of a search. */
interface Following {
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
}

export function followMatches(log: OutputLog, following: Following): MatchFollower {
  const follower = new LogMatchFollower(log, following);
  follower.begin();
  return follower;
}

class LogMatchFollower implements MatchFollower {
  readonly #log: OutputLog;
  readonly #following: Following;
  readonly #from: StreamPositions;
  readonly #search: ReturnType<typeof createLineSearch>;
  readonly #turn: SearchTurn;
  readonly #stopListening: Cancel;
  /** End of the output that was taken. */
  #positions: StreamPositions;
  #searched: { readonly positions: StreamPositions; readonly counted: readonly OutputStream[] };
  #lines: readonly string[] = [];
  #cancelRetry: Cancel | null = null;
  readonly #failures: ReadFailures;
  #ending: { readonly until: StreamPositions; readonly onFinished: () => void } | null = null;
  /** `true` while the log has output that was not taken yet. */
  #isBehind = false;
  #isOver = false;

  constructor(log: OutputLog, following: Following) {
    const { clock, pattern, from = log.positions, counted = [] } = following;
    this.#log = log;
    this.#failures = new ReadFailures(log);
    this.#following = following;
    this.#from = from;
    this.#search = createLineSearch({ type: 'pattern', pattern }, { maxLines: MAX_LINES, from, counted });
    this.#turn = new SearchTurn(clock, () => this.#searchTurn());
    this.#positions = beforeLine(from);
    this.#searched = { positions: from, counted };
    this.#stopListening = log.onWrite(() => this.#gather());
  }

  /** The beginning of an unfinished line is already known; the rest is searched soon, after the caller has its follower. */
  begin(): void {
    this.#take();
    if (outputStreams.some((stream) => this.#positions[stream] > this.#from[stream])) this.#turn.takeSoon();
  }

  takeLines(): readonly string[] {
    const taken = this.#lines;
    this.#lines = [];
    return taken;
  }

  get searched(): MatchFollower['searched'] {
    const { positions, counted } = this.#searched;
    const toldBytes = outputStreams.reduce((bytes, stream) => bytes + positions[stream], 0);
    return { toldBytes, toldUnfinished: counted };
  }

  finish(onFinished: () => void): void {
    this.#failures.reset();
    this.#ending = { until: this.#log.positions, onFinished };
    // Leftovers may continue to write.
    this.#stopListening();
    this.#stopRetrying();
    this.#turn.cancel();
    this.#take();
    if (this.#isOver) return;
    this.#searchSome(this.#log.onDisk === null ? Number.POSITIVE_INFINITY : MAX_CHARS_A_TURN);
    if (this.#isOver) return;
    if (this.#search.waitingChars === 0 && this.#isFinished()) this.#end();
    else if (this.#cancelRetry === null) this.#turn.takeNext();
  }

  stop(): void {
    this.#isOver = true;
    this.#stopListening();
    this.#stopRetrying();
    this.#turn.cancel();
  }

  /** Takes new output, and searches it soon, or in the next turn where much of it waits. */
  #gather(): void {
    if (this.#isOver) return;
    this.#take();
    if (this.#isOver) return;
    const isMuch = this.#search.waitingChars > MAX_CHARS_A_TURN || this.#isBehind || this.#ending !== null;
    if (isMuch) this.#turn.takeNext();
    else this.#turn.takeSoon();
  }

  /** Takes new output. Output on disk can wait there. */
  #take(): void {
    if (this.#cancelRetry !== null) return;
    this.#isBehind = false;
    let room = maxBytesPerTurn;
    for (const piece of this.#log.chunks(this.#positions)) {
      this.#failures.reset();
      this.#positions = { ...this.#positions, [piece.stream]: positionAfter(piece) };
      this.#search.push(piece);
      if (this.#log.onDisk === null) this.#searchOverflow();
      else {
        room -= piece.type === 'chunk' ? piece.bytes.byteLength : 0;
        this.#isBehind = room <= 0 || this.#search.waitingChars > MAX_CHARS_A_TURN;
      }
      if (this.#isOver || this.#isBehind) return;
    }
    this.#retryWhereUnread();
  }

  #searchTurn(): void {
    this.#turn.cancel();
    if (this.#isOver) return;
    this.#searchSome(MAX_CHARS_A_TURN);
    if (this.#isOver) return;
    if (this.#search.waitingChars > 0) this.#turn.takeNext();
    else if (this.#isFinished()) this.#end();
    else if (this.#isBehind) this.#gather();
  }

  #searchOverflow(): void {
    while (this.#search.waitingChars > MAX_WAITING_CHARS && !this.#isOver) this.#searchSome(MAX_CHARS_A_TURN);
  }

  #searchSome(maxChars: number): void {
    const found = this.#search.search({ maxChars });
    if (found.type === 'problem') return this.#fail(found.problem);
    if (this.#search.waitingChars === 0)
      this.#searched = { positions: this.#positions, counted: this.#search.counted };
    if (found.count > 0) {
      const shown = found.lines.map((line) => shorten(this.#log.redact(line), MAX_LINE_LENGTH));
      this.#lines = [...this.#lines, ...shown].slice(-MAX_LINES);
      this.#following.onMatched(found.count);
    }
    this.#following.onSearched?.();
  }

  /** Retries a failed read later; after the end of the output only a few times. */
  #retryWhereUnread(): void {
    const isFinal = this.#ending !== null;
    const unread = this.#failures.judge({ from: this.#positions, to: this.#endPosition, isFinal });
    if (unread === null) return;
    if (unread !== 'retry') return this.#giveUp(unread.droppedBytes);
    this.#cancelRetry = this.#log.retryLater(() => {
      this.#cancelRetry = null;
      this.#gather();
    });
  }

  #giveUp(unreadBytes: number): void {
    const problem = this.#log.onDisk?.readError ?? '';
    this.#searchSome(Number.POSITIVE_INFINITY);
    if (this.#isOver) return;
    const where = this.#log.logFile === null ? '' : ` of ${this.#log.logFile}`;
    this.#fail(`The last ${unreadBytes} bytes${where} cannot be read and were not searched (${problem}).`);
  }

  /** Position up to which the output is searched, as far as it is known. */
  get #endPosition(): StreamPositions {
    return this.#ending?.until ?? this.#log.positions;
  }

  #hasTaken(until: StreamPositions): boolean {
    return outputStreams.every((stream) => this.#positions[stream] >= until[stream]);
  }

  #isFinished(): boolean {
    if (this.#ending === null || this.#cancelRetry !== null) return false;
    return !this.#isBehind || this.#hasTaken(this.#ending.until);
  }

  #fail(problem: string): void {
    this.stop();
    this.#following.onProblem(problem);
  }

  #end(): void {
    this.stop();
    this.#ending?.onFinished();
  }

  #stopRetrying(): void {
    this.#cancelRetry?.();
    this.#cancelRetry = null;
  }
}

/** The next turn of a search: soon, together with what arrives until then, or in the next turn of the event loop. */
class SearchTurn {
  readonly #clock: Clock;
  readonly #search: () => void;
  #cancelSoon: Cancel | null = null;
  #next: NodeJS.Immediate | null = null;

  constructor(clock: Clock, search: () => void) {
    this.#clock = clock;
    this.#search = search;
  }

  takeSoon(): void {
    this.#cancelSoon ??= this.#clock.at(this.#clock.nowMs() + GATHER_MS, this.#search, { idle: true });
  }

  takeNext(): void {
    this.#next ??= setImmediate(this.#search);
  }

  cancel(): void {
    this.#cancelSoon?.();
    this.#cancelSoon = null;
    if (this.#next !== null) clearImmediate(this.#next);
    this.#next = null;
  }
}
