import type { ActorRefFrom } from 'xstate';
import type { WatchInput } from '../../machines/watch/context.ts';
import type { WatchDeadlineName, WatchEvent } from '../../machines/watch/events.ts';
import type { watchMachine } from '../../machines/watch/machine.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { RecordedWatch } from '../process/process-record.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import type { ChangeSource } from './change-source.ts';
import { followMatches, type MatchFollower } from './follow-matches.ts';
import { watchOutput } from './output-changes.ts';
import { watchScreen } from './screen-changes.ts';
import type { WatchNews, WatchView } from './watch.ts';

export type WatchActor = ActorRefFrom<typeof watchMachine>;

/** Minimum time between two notifications of lines; lines in between are collected. */
const WINDOW_MS = 10_000;

export interface WatchDeps {
  readonly clock: Clock;
  tell(news: WatchNews): void;
  /** Called when the record of the watch has changed. */
  onChange(): void;
  /** Called when the record has changed in a way that the next change may save. */
  onSearched(): void;
  reportError(error: unknown): void;
}

type Observation =
  | { readonly type: 'quiet'; readonly quietMs: number; readonly changes: ChangeSource }
  | { readonly type: 'pattern'; readonly pattern: string; readonly matches: MatchFollower };

type NewsFacts = WatchNews extends infer News
  ? News extends WatchNews
    ? Omit<News, 'id' | 'at' | 'owner' | 'process'>
    : never
  : never;

/** Watch of a process: implements the effects of its chart. */
export class ActiveWatch {
  readonly process: SupervisedProcess;
  readonly actor: WatchActor;
  readonly #deps: WatchDeps;
  readonly #watch: RecordedWatch;
  readonly #eyes: Observation;
  readonly #deadlines = new Map<WatchDeadlineName, Cancel>();
  #told: number;
  /** Position at which the next supervisor continues. */
  #searched: Pick<RecordedWatch, 'toldBytes' | 'toldUnfinished'>;
  /** `true` after the end of the process, while the rest of its output is searched. */
  #isEnding = false;
  readonly #over = Promise.withResolvers<void>();
  #shown: readonly string[] = [];
  #problem = '';

  constructor(
    process: SupervisedProcess,
    {
      watch,
      deps,
      toActor,
    }: {
      readonly watch: RecordedWatch;
      readonly deps: WatchDeps;
      /** Not started. */
      readonly toActor: (wants: WatchInput['wants']) => WatchActor;
    },
  ) {
    this.process = process;
    this.#deps = deps;
    this.#watch = watch;
    this.#told = watch.told;
    this.#searched = toSearched(watch);
    this.#eyes = this.#open(watch.wants);
    this.actor = toActor(
      watch.wants.type === 'quiet' ? watch.wants : { type: 'pattern', windowMs: WINDOW_MS },
    );
  }

  get owner(): string {
    return this.#watch.owner;
  }

  /** Data for the record of the process. */
  get record(): RecordedWatch {
    const { owner, wants, since } = this.#watch;
    return { owner, wants, since, told: this.#told, ...this.#searched };
  }

  view(): WatchView {
    const { owner, wants, since, told } = this.record;
    return { processId: this.process.id, owner, wants, since, told };
  }

  checkForChange(): void {
    const eyes = this.#eyes;
    if (eyes.type === 'pattern') return;
    const { changes, quietMs } = eyes;
    const { nowMs } = this.#deps.clock;
    // A process that waits for its start, or is paused, is not silent.
    const { status, life } = this.process;
    const isPaused = 'isPaused' in life.view && life.view.isPaused;
    if (isPaused || status === 'pending' || status === 'restarting') changes.beginAnew();
    changes.look((lines) => {
      this.#shown = lines;
      // Time before the attempt began does not count as silence.
      const beganAtMs = this.process.life.times.startedAtMs ?? Number.NEGATIVE_INFINITY;
      const agoMs = nowMs() - Math.max(changes.changedAtMs, beganAtMs);
      this.#send(agoMs < quietMs ? { type: 'change.seen', agoMs } : { type: 'stillness.confirmed' });
    });
  }

  awaitChange(): void {
    if (this.#eyes.type === 'pattern') return;
    this.#eyes.changes.awaitChange(() => this.#send({ type: 'change.seen', agoMs: 0 }));
  }

  notifyQuiet(): void {
    if (this.#eyes.type === 'pattern') return;
    this.#tell('quiet', { type: 'watch.quiet', quietMs: this.#eyes.quietMs, lines: this.#shown });
  }

  notifyMatches(count: number): void {
    if (this.#eyes.type === 'quiet') return;
    const { pattern, matches } = this.#eyes;
    const lines = matches.takeLines();
    const suppressed = count - lines.length;
    this.#searched = toSearched(matches.searched);
    this.#tell('matched', { type: 'watch.matched', pattern, matches: count, lines, suppressed });
  }

  notifyFailure(): void {
    this.#tell('failed', { type: 'watch.failed', why: this.#problem });
  }

  arm({ deadline, afterMs }: { deadline: WatchDeadlineName; afterMs: number }): void {
    const { clock } = this.#deps;
    this.disarm(deadline);
    const reached = () => {
      this.#deadlines.delete(deadline);
      this.#send({ type: `deadline.${deadline}` });
    };
    this.#deadlines.set(deadline, clock.at(clock.nowMs() + afterMs, reached, { idle: true }));
  }

  disarm(deadline: WatchDeadlineName): void {
    this.#deadlines.get(deadline)?.();
    this.#deadlines.delete(deadline);
  }

  /** Searches the last output of the ended process. Returns `null` if that is already done. */
  end(): Promise<void> | null {
    this.#isEnding = true;
    const ended = () => this.#send({ type: 'process.ended' });
    if (this.#eyes.type === 'pattern') this.#eyes.matches.finish(ended);
    else ended();
    return this.actor.getSnapshot().status === 'active' ? this.#over.promise : null;
  }

  /** Stops watching here. For an ended process no later supervisor continues, so the unsearched rest is reported. */
  detach(): void {
    if (!this.#isEnding) return this.#send({ type: 'process.released' });
    this.#problem = `The process has ended, and its supervisor stopped before the rest of the output was searched; look for the lines in ${this.process.output.log.logFile ?? 'its output'}.`;
    this.#send({ type: 'search.failed' });
  }

  /** Stops all observation after the end of the watch. */
  close(): void {
    if (this.#eyes.type === 'pattern') this.#eyes.matches.stop();
    else this.#eyes.changes.stop();
    for (const deadline of [...this.#deadlines.keys()]) this.disarm(deadline);
    this.#over.resolve();
  }

  /** Sends an event unless the watch is over. */
  #send(event: WatchEvent): void {
    if (this.actor.getSnapshot().status === 'active') this.actor.send(event);
  }

  #open(wants: WatchView['wants']): Observation {
    const { clock, reportError } = this.#deps;
    const { process } = this;
    if (wants.type === 'quiet') {
      const hasScreen = process.view().terminal?.type === 'terminal';
      const changes = hasScreen
        ? watchScreen(process, { clock, reportError })
        : watchOutput(process, { clock });
      return { ...wants, changes };
    }
    const { log } = process.output;
    const { toldBytes = log.bytes, toldUnfinished = [] } = this.#searched;
    this.#searched = toSearched({ toldBytes, toldUnfinished });
    const matches = followMatches(log, {
      pattern: wants.pattern,
      from: log.positionsAt(toldBytes),
      counted: toldUnfinished,
      clock,
      onMatched: (count) => this.#send({ type: 'lines.matched', count }),
      onSearched: () => this.#noteSearched(),
      onProblem: (problem) => {
        this.#problem = problem;
        this.#send({ type: 'search.failed' });
      },
    });
    return { ...wants, matches };
  }

  /** Keeps the searched position only while no match waits: an unpublished match must be found again. */
  #noteSearched(): void {
    const { status, context } = this.actor.getSnapshot();
    if (this.#eyes.type === 'quiet' || status !== 'active' || context.matches > 0) return;
    this.#searched = toSearched(this.#eyes.matches.searched);
    this.#deps.onSearched();
  }

  #tell(word: string, facts: NewsFacts): void {
    const view = this.process.view();
    const at = this.#deps.clock.epochMs();
    this.#told += 1;
    // Unique even if two watches notify in one millisecond, or one watch twice.
    const id = `${view.id}/${view.attempt}/${word}/${at}/${this.#told}/${this.owner}`;
    this.#deps.tell({ id, at, owner: this.owner, process: view, ...facts });
    this.#deps.onChange();
  }
}

function toSearched({
  toldBytes,
  toldUnfinished = [],
}: Pick<RecordedWatch, 'toldBytes' | 'toldUnfinished'>): Pick<RecordedWatch, 'toldBytes' | 'toldUnfinished'> {
  if (toldBytes === undefined) return {};
  return { toldBytes, ...(toldUnfinished.length > 0 && { toldUnfinished }) };
}
