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

/** After news of lines, the next ones wait for so long and are told together. */
const WINDOW_MS = 10_000;

export interface WatchDeps {
  readonly clock: Clock;
  tell(news: WatchNews): void;
  /** What is written down of it is another. */
  onChange(): void;
  /** The same, but it is enough to write it down with the next change. */
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

/** One watch: what its chart names is done here. */
export class ActiveWatch {
  readonly process: SupervisedProcess;
  readonly actor: WatchActor;
  readonly #world: WatchDeps;
  readonly #watch: RecordedWatch;
  readonly #eyes: Observation;
  readonly #deadlines = new Map<WatchDeadlineName, Cancel>();
  #told: number;
  /** Where another supervisor goes on. */
  #searched: Pick<RecordedWatch, 'toldBytes' | 'toldUnfinished'>;
  /** Its process has ended; the rest of what it printed is still searched. */
  #isEnding = false;
  readonly #over = Promise.withResolvers<void>();
  #shown: readonly string[] = [];
  #problem = '';

  constructor(
    process: SupervisedProcess,
    wiring: {
      readonly watch: RecordedWatch;
      readonly world: WatchDeps;
      /** Not started. */
      readonly toActor: (wants: WatchInput['wants']) => WatchActor;
    },
  ) {
    const { watch, world } = wiring;
    this.process = process;
    this.#world = world;
    this.#watch = watch;
    this.#told = watch.told;
    this.#searched = toSearched(watch);
    this.#eyes = this.#open(watch.wants);
    this.actor = wiring.toActor(
      watch.wants.type === 'quiet' ? watch.wants : { type: 'pattern', windowMs: WINDOW_MS },
    );
  }

  get owner(): string {
    return this.#watch.owner;
  }

  /** As it is written down. */
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
    const { nowMs } = this.#world.clock;
    // What waits to run, or to run again, is not silent: it is not there.
    if (this.process.status === 'pending' || this.process.status === 'restarting') changes.beginAnew();
    changes.look((lines) => {
      this.#shown = lines;
      // What waited for its turn before its attempt began was not silent.
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
    const { clock } = this.#world;
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

  /** Its process has ended: what it printed last is still searched. `null` where that is done at once. */
  end(): Promise<void> | null {
    this.#isEnding = true;
    const ended = () => this.#send({ type: 'process.ended' });
    if (this.#eyes.type === 'pattern') this.#eyes.matches.finish(ended);
    else ended();
    return this.actor.getSnapshot().status === 'active' ? this.#over.promise : null;
  }

  /** Nobody here watches any more. Of a process that has ended nobody will later either, which is told. */
  detach(): void {
    if (!this.#isEnding) return this.#send({ type: 'process.released' });
    this.#problem = `The process has ended, and its supervisor stopped before the rest of the output was searched; look for the lines in ${this.process.output.log.logFile ?? 'its output'}.`;
    this.#send({ type: 'search.failed' });
  }

  /** It is over. */
  close(): void {
    if (this.#eyes.type === 'pattern') this.#eyes.matches.stop();
    else this.#eyes.changes.stop();
    for (const deadline of [...this.#deadlines.keys()]) this.disarm(deadline);
    this.#over.resolve();
  }

  /** What comes when it is over concerns nobody. */
  #send(event: WatchEvent): void {
    if (this.actor.getSnapshot().status === 'active') this.actor.send(event);
  }

  #open(wants: WatchView['wants']): Observation {
    const { clock, reportError } = this.#world;
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

  /** What matched and waits to be told is found again where it is not told here. */
  #noteSearched(): void {
    const { status, context } = this.actor.getSnapshot();
    if (this.#eyes.type === 'quiet' || status !== 'active' || context.matches > 0) return;
    this.#searched = toSearched(this.#eyes.matches.searched);
    this.#world.onSearched();
  }

  #tell(word: string, facts: NewsFacts): void {
    const view = this.process.view();
    const at = this.#world.clock.epochMs();
    this.#told += 1;
    // Two watches may tell in one millisecond, and one twice.
    const id = `${view.id}/${view.attempt}/${word}/${at}/${this.#told}/${this.owner}`;
    this.#world.tell({ id, at, owner: this.owner, process: view, ...facts });
    this.#world.onChange();
  }
}

function toSearched({
  toldBytes,
  toldUnfinished = [],
}: Pick<RecordedWatch, 'toldBytes' | 'toldUnfinished'>): Pick<RecordedWatch, 'toldBytes' | 'toldUnfinished'> {
  if (toldBytes === undefined) return {};
  return { toldBytes, ...(toldUnfinished.length > 0 && { toldUnfinished }) };
}
