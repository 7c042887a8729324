import type { BackendCommand } from '../../../machines/process/events.ts';
import type { Cancel } from '../../clock/clock.ts';
import { toErrorText } from '../../config/error-text.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { BackendPort, ToldFact } from '../backend.ts';
import { readState, writeState } from './attempt-records.ts';
import { LogReader } from './log-reader.ts';
import { orderStart } from './order-start.ts';
import { type AttemptName, type AttemptState, isFinalState, type LogEntry, toPeerKey } from './protocol.ts';
import type { RemoteHosts, Session } from './remote-hosts.ts';
import { openOutput, type RemoteOutput } from './remote-output.ts';
import { pause } from './servers.ts';
import { refuse, WorkerLink } from './worker-link.ts';

/** A worker that was silent for so long is dead. */
export const LOST_AFTER_MS = 5_000;
/** Pauses between looks at the record of an order that no worker has taken, as far as its log tells. */
const FIRST_LOOK_MS = 2_000;
const MAX_LOOK_MS = 10_000;
const RETRY_MS = 300;
/** The servers drop older orders. */
const MAX_ORDER_AGE_MS = 20 * 3_600_000;

/** Facts that answer commands without a reply. */
const answerTo: Partial<Record<BackendCommand['type'], ToldFact['type']>> = {
  'tree.end': 'tree.gone',
  'tree.survey': 'tree.surveyed',
  'output.settle': 'output.quieted',
};

/** Facts that follow from commands. In an old log they are of an earlier asker. */
const consequences: ReadonlySet<ToldFact['type']> = new Set<ToldFact['type']>([
  ...Object.values(answerTo),
  ...(['tree.seen', 'process.signalled'] as const),
]);

/** The asker's side of an attempt on another host. */
export class RemoteAttempt {
  readonly #port: BackendPort;
  readonly #hosts: RemoteHosts;
  readonly #name: AttemptName;
  #session: Session | null = null;
  #reader: LogReader | null = null;
  #output: RemoteOutput | null = null;
  /** `null` while no worker is known. */
  #link: WorkerLink | null = null;
  /** Commands from before a worker was known. */
  #waiting: Exclude<BackendCommand, { type: 'start.cancel' }>[] = [];
  /** Commands whose answer is a fact that has not come: the worker may die between taking one and its answer. */
  readonly #unanswered = new Map<ToldFact['type'], BackendCommand>();
  #stopWatching: Cancel = () => {};
  #cancelReconnect: Cancel = () => {};
  #adopts = false;
  #isReplaying = false;
  #hasSpawned = false;
  #hasExited = false;
  #isCancelled = false;
  /** Nothing of it is on its worker any more, or its start failed. */
  #isGone = false;
  /** Its end is unknown, and so is whether anything of it is alive. */
  #isLost = false;
  #isDetached = false;

  constructor(port: BackendPort, hosts: RemoteHosts) {
    this.#port = port;
    this.#hosts = hosts;
    const { id, attempt, portable } = port.request;
    this.#name = { tenant: hosts.tenantOf(portable?.owner ?? ''), id, attempt };
  }

  /** Orders the start and follows the attempt. Never rejects. */
  async start(): Promise<void> {
    try {
      const { servers, asker } = await this.#open();
      if (this.#isCancelled) return this.#fail('it was cancelled before it was ordered');
      await orderStart({ servers, asker }, { name: this.#name, request: this.#port.request });
      void this.#watchUnclaimed();
    } catch (error) {
      this.#fail(error instanceof TroupeError ? error.message : `The order failed: ${toErrorText(error)}`);
    }
  }

  /** Finds the attempt that another program ordered. Never rejects. */
  async adopt(): Promise<void> {
    this.#adopts = true;
    this.#isReplaying = true;
    while (!this.#isDetached) {
      try {
        const { servers, asker } = await this.#open();
        const record = await readState(servers, this.#name);
        const state = record?.state ?? (await this.#orderAgain({ servers, asker }));
        await this.#reader?.readAll();
        this.#isReplaying = false;
        if (state !== null) await this.#take(state);
        else void this.#watchUnclaimed();
        return;
      } catch {
        // The servers may be back at any time, and the process runs meanwhile.
        await pause(1_000);
      }
    }
  }

  execute(command: BackendCommand): void {
    if (command.type === 'start.cancel') return void this.#cancel();
    const answer = answerTo[command.type];
    if (answer !== undefined) this.#unanswered.set(answer, command);
    if (this.#isGone) return this.#answerGone(command);
    if (this.#link === null) this.#waiting.push(command);
    else this.#link.send(command);
  }

  /** Follows the attempt no longer. A worker forgets one that has ended. */
  detach(): void {
    const { outlives } = this.#port.request;
    this.#isDetached = true;
    this.#stopWatching();
    this.#cancelReconnect();
    this.#reader?.close();
    if (this.#session === null) return;
    if (!this.#isGone && (this.#hasExited || !outlives)) this.#link?.release();
    this.#session = null;
    this.#hosts.release(this.#output?.close());
  }

  async #open(): Promise<Session> {
    if (this.#session !== null) return this.#session;
    const session = await this.#hosts.acquire();
    if (this.#isDetached) {
      this.#hosts.release();
      throw new Error('the process was left');
    }
    this.#session = session;
    const { reportError } = this.#hosts;
    const output = openOutput(this.#port, { onWritable: () => this.#reader?.resume(), reportError });
    this.#output = output;
    const reader = new LogReader(session.servers, {
      name: this.#name,
      onEntry: (entry) => this.#hear(entry, output),
      onGap: ({ entries, bytes }) => output.tellGap({ entries, bytes }),
      onError: reportError,
    });
    this.#reader = reader;
    this.#cancelReconnect = session.servers.onReconnect(() => void reader.catchUp());
    // The subscription must be known to the servers before anything is ordered.
    await session.servers.connection.flush();
    return session;
  }

  /**
   * Orders a start again if it has no record: its first order was lost, or still waits. A process that is known to have started, or is so old
   * that its record may have expired, is called lost instead, since another start would be its second. A record that exists after all wins.
   */
  async #orderAgain({ servers, asker }: Pick<Session, 'servers' | 'asker'>): Promise<AttemptState | null> {
    const { portable } = this.#port.request;
    const ageMs = this.#port.clock.epochMs() - (portable?.orderedAt ?? 0);
    if (this.#port.startedAtMs !== undefined || ageMs > MAX_ORDER_AGE_MS) {
      const why = 'the servers know nothing of it any more, so how it ended is unknown';
      const lost = { state: 'lost', worker: 'unknown', why } as const;
      return (await writeState(servers, { name: this.#name, state: lost, after: 0 })).state;
    }
    await orderStart({ servers, asker }, { name: this.#name, request: this.#port.request });
    return null;
  }

  #hear(entry: LogEntry, output: RemoteOutput): boolean {
    if (entry.type === 'output') return output.write(entry);
    if (entry.type === 'screen') {
      output.keepScreen(entry.screen);
      return true;
    }
    const { fact } = entry;
    if (fact.type === 'attempt.claimed') this.#follow(fact.worker);
    else if (fact.type !== 'attempt.ended' && !(this.#isReplaying && consequences.has(fact.type)))
      output.afterWritten(() => this.#tell(fact));
    return true;
  }

  #tell(fact: ToldFact): void {
    if (this.#isDetached) return;
    this.#unanswered.delete(fact.type);
    const isStart = fact.type === 'process.spawned' || fact.type === 'process.spawnFailed';
    // The first entries of an old log are not kept.
    if (this.#adopts && !this.#hasSpawned && !isStart) this.#tellAdopted({ pid: null, pgid: null });
    switch (fact.type) {
      case 'process.spawned': {
        const { pid, pgid, held = null } = fact;
        if (this.#adopts) return this.#tellAdopted({ pid, pgid, held });
        this.#hasSpawned = true;
        break;
      }
      case 'process.spawnFailed':
        this.#setGone();
        if (this.#adopts) return this.#lose(fact.message);
        break;
      case 'process.exited':
        this.#hasExited = true;
        break;
      case 'process.lost':
        this.#setGone();
    }
    this.#port.tell(fact);
  }

  #tellAdopted(leader: Pick<Extract<ToldFact, { type: 'process.spawned' }>, 'pid' | 'pgid' | 'held'>): void {
    const { clock, startedAtMs = clock.nowMs() } = this.#port;
    this.#hasSpawned = true;
    this.#port.tell({ type: 'process.adopted', ...leader, startedAtMs });
  }

  /** Follows the worker that has the attempt. */
  #follow(worker: string): void {
    if (this.#link !== null || this.#session === null) return;
    this.#link = new WorkerLink(this.#session.servers.connection, {
      worker,
      name: this.#name,
      onGone: (command) => this.#answerGone(command),
    });
    this.#stopWatching = this.#session.presence.onSilent(toPeerKey('worker', worker), {
      silentMs: LOST_AFTER_MS,
      callback: () => void this.#declareLost(worker),
    });
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const command of waiting) this.execute(command);
  }

  /** Looks at the record while the log names no worker: one may have died between its claim and its first entry. */
  async #watchUnclaimed(): Promise<void> {
    let pauseMs = FIRST_LOOK_MS;
    while (true) {
      await pause(pauseMs);
      if (this.#link !== null || this.#isGone || this.#isDetached || this.#session === null) return;
      const record = await readState(this.#session.servers, this.#name).catch(() => null);
      if (record !== null) await this.#take(record.state);
      pauseMs = Math.min(pauseMs * 2, MAX_LOOK_MS);
    }
  }

  async #take(state: AttemptState): Promise<void> {
    switch (state.state) {
      case 'claimed':
        return this.#follow(state.worker);
      case 'running':
        this.#output?.afterWritten(() => {
          if (this.#adopts && !this.#hasSpawned) this.#tellAdopted({ pid: state.pid, pgid: state.pid });
        });
        return this.#follow(state.worker);
      case 'ended':
        await this.#reader?.expect(state.entries);
        return this.#follow(state.worker);
      case 'lost':
        await this.#reader?.readAll();
        return this.#output?.afterWritten(() => this.#endLost(state.why));
      case 'cancelled':
        return this.#fail('it was cancelled before a worker took it');
    }
  }

  /** Makes the loss of a worker the state of the attempt, unless it has ended before. */
  async #declareLost(worker: string): Promise<void> {
    const session = this.#session;
    if (session === null || this.#isDetached) return;
    const { servers } = session;
    try {
      const found = await readState(servers, this.#name);
      if (found !== null && isFinalState(found.state)) {
        await this.#take(found.state);
        this.#setGone();
        return this.#output?.afterWritten(() => this.#answerAll());
      }
      const started = this.#hasSpawned || found?.state.state === 'running';
      const what = started ? 'the process was running' : 'whether the process had started is unknown';
      const why = `the worker ${worker} was silent for ${LOST_AFTER_MS / 1_000} s; ${what}`;
      const after = found?.revision ?? 0;
      const { state } = await writeState(servers, {
        name: this.#name,
        state: { state: 'lost', worker, why },
        after,
      });
      // Its last write was under way, or the server that was asked is behind the others.
      if (!isFinalState(state)) return void this.#declareLost(worker);
      await this.#take(state);
    } catch (error) {
      if (servers.connection.isClosed()) return;
      if (/permission/i.test(toErrorText(error))) return this.#hosts.reportError(error);
      // Where servers died with the worker, the others elect a leader first.
      await pause(RETRY_MS);
      return this.#declareLost(worker);
    }
  }

  #endLost(why: string): void {
    this.#setGone();
    if (this.#isDetached) return;
    // The guard of a worker ends what the worker ran, so that nothing is left of a process whose exit is known.
    this.#isLost = !this.#hasExited;
    if (this.#isLost) {
      this.#hosts.noteLost(this.#name);
      this.#port.tell({ type: 'process.lost', why });
    }
    this.#answerAll();
  }

  #setGone(): void {
    this.#isGone = true;
    this.#link?.end();
  }

  #lose(why: string): void {
    this.#setGone();
    this.#isLost = true;
    this.#port.tell({ type: 'process.lost', why });
  }

  #fail(message: string): void {
    if (this.#isDetached || this.#isGone) return;
    this.#setGone();
    if (this.#adopts) return this.#lose(message);
    this.#port.tell({ type: 'process.spawnFailed', cause: 'other', code: null, message });
    this.#answerAll();
  }

  /** Cancels the start by claiming it, unless a worker has done so. */
  async #cancel(): Promise<void> {
    this.#isCancelled = true;
    const session = this.#session;
    if (session === null || this.#link !== null || this.#isGone) return;
    try {
      const { isOurs } = await writeState(session.servers, {
        name: this.#name,
        state: { state: 'cancelled' },
        after: 0,
      });
      if (isOurs) this.#fail('it was cancelled before a worker took it');
    } catch (error) {
      if (!session.servers.connection.isClosed()) this.#hosts.reportError(error);
    }
  }

  /** Answers what has no answer yet. */
  #answerAll(): void {
    for (const command of [...this.#waiting.splice(0), ...this.#unanswered.values()])
      this.#answerGone(command);
  }

  /** Answers as a process that has ended with everything it started. Of a lost one nothing is proven. */
  #answerGone(command: BackendCommand): void {
    const answer = answerTo[command.type];
    const isAnswered = answer !== undefined && !this.#unanswered.delete(answer);
    if (this.#isDetached || isAnswered) return;
    switch (command.type) {
      case 'tree.end':
        return this.#isLost ? undefined : this.#port.tell({ type: 'tree.gone', ended: [] });
      case 'tree.survey':
        return this.#port.tell({ type: 'tree.surveyed', leftovers: [] });
      case 'output.settle':
        return this.#port.tell({ type: 'output.quieted' });
      default:
        refuse(command, 'It has ended, and nothing of it is on its worker.');
    }
  }
}
