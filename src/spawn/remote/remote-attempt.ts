import type { BackendCommand } from '../../../machines/process/events.ts';
import type { Cancel } from '../../clock/clock.ts';
import { toErrorText } from '../../config/error-text.ts';
import { toClause } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { BackendPort, ToldFact } from '../backend.ts';
import { AttemptCommands, consequences } from './attempt-commands.ts';
import { readState, writeState } from './attempt-records.ts';
import { LogReader } from './log-reader.ts';
import { orderAgain, orderStart } from './order-start.ts';
import {
  type AttemptName,
  type AttemptState,
  isFinalState,
  type LogEntry,
  type LoggedFact,
  toPeerKey,
} from './protocol.ts';
import type { RemoteHosts, Session } from './remote-hosts.ts';
import { openOutput, type RemoteOutput } from './remote-output.ts';
import { pause } from './servers.ts';

/** A worker that was silent for so long is dead. */
export const LOST_AFTER_MS = 5_000;
/** Pauses between looks at the record of an order that no worker has taken, as far as its log tells. */
const FIRST_LOOK_MS = 2_000;
const MAX_LOOK_MS = 10_000;
const RETRY_MS = 300;
/** Time for the rest of the output of a process that has exited, after its worker was called dead: it may be back. */
const REST_MS = 2_000;

/** The asker's side of an attempt on another host. */
export class RemoteAttempt {
  readonly #port: BackendPort;
  readonly #hosts: RemoteHosts;
  readonly #name: AttemptName;
  #session: Session | null = null;
  #reader: LogReader | null = null;
  #output: RemoteOutput | null = null;
  readonly #commands: AttemptCommands;
  /** True once a worker was seen to have the attempt of this process, and not that of another one with its id. */
  #isIdentified = false;
  #stopWatching: Cancel = () => {};
  #cancelReconnect: Cancel = () => {};
  #adopts = false;
  #isReplaying = false;
  #hasSpawned = false;
  #hasExited = false;
  #hasOutputEnded = false;
  #isCancelled = false;
  #isDetached = false;

  constructor(port: BackendPort, hosts: RemoteHosts) {
    this.#port = port;
    this.#hosts = hosts;
    this.#commands = new AttemptCommands((fact) => port.tell(fact));
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
      const text = error instanceof TroupeError ? error.message : `the order failed: ${toErrorText(error)}`;
      this.#fail(toClause(text));
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
        const state =
          record?.state ?? (await orderAgain({ servers, asker }, { name: this.#name, port: this.#port }));
        if (state !== null && !this.#isOwn(state)) return;
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
    this.#commands.execute(command);
  }

  /** Follows the attempt no longer. A worker forgets one that has ended. */
  detach(): void {
    this.#isDetached = true;
    this.#stopWatching();
    this.#cancelReconnect();
    this.#reader?.close();
    this.#commands.close({ releases: this.#hasExited || !this.#port.request.outlives });
    if (this.#session === null) return;
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
      onGap: output.tellGap,
      onError: reportError,
    });
    this.#reader = reader;
    this.#cancelReconnect = session.servers.onReconnect(() => void reader.catchUp());
    // The subscription must be known to the servers before anything is ordered.
    await session.servers.connection.flush();
    return session;
  }

  #hear(entry: LogEntry, output: RemoteOutput): boolean {
    if (entry.type === 'fact' && entry.fact.type === 'attempt.claimed') {
      if (this.#isOwn(entry.fact)) this.#follow(entry.fact.worker);
      return true;
    }
    if (!this.#isIdentified) {
      void this.#identify(entry, output);
      return false;
    }
    if (entry.type === 'output') return output.write(entry);
    if (entry.type === 'screen') output.keepScreen(entry.screen);
    else if (entry.fact.type !== 'attempt.claimed' && entry.fact.type !== 'attempt.ended') {
      const { fact } = entry;
      if (!(this.#isReplaying && consequences.has(fact.type))) output.afterWritten(() => this.#tell(fact));
    }
    return true;
  }

  /** Asks the record whose attempt it is, where the servers no longer have the first entry, and continues with `entry`. */
  async #identify(entry: LogEntry, output: RemoteOutput): Promise<void> {
    while (!this.#isDetached && this.#session !== null) {
      try {
        const record = await readState(this.#session.servers, this.#name);
        if (record !== null && !this.#isOwn(record.state)) return;
        this.#isIdentified = true;
        return this.#hear(entry, output) ? this.#reader?.resume() : undefined;
      } catch {
        await pause(RETRY_MS);
      }
    }
  }

  /** Returns whether an attempt is that of this process. If it is not, the start fails: the servers keep one process for each id. */
  #isOwn(found: AttemptState | Extract<LoggedFact, { type: 'attempt.claimed' }>): boolean {
    if (!('identity' in found) || found.identity === this.#port.request.portable?.identity) {
      this.#isIdentified = true;
      return true;
    }
    this.#reader?.close();
    this.#fail(
      `the id "${this.#name.id}" is taken: another program of the tenant "${this.#name.tenant}" has started another command with it, on the worker ${found.worker}. ` +
        'Nothing was started. Use another id for another start',
    );
    return false;
  }

  #tell(fact: ToldFact): void {
    if (this.#isDetached) return;
    this.#commands.noteFact(fact.type);
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
        this.#commands.setGone({ isLost: false });
        if (this.#adopts) return this.#lose(fact.message);
        break;
      case 'process.exited':
        this.#hasExited = true;
        break;
      case 'output.ended':
        this.#hasOutputEnded = true;
        break;
      case 'process.lost':
        this.#commands.setGone({ isLost: false });
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
    if (this.#commands.hasWorker || this.#session === null) return;
    this.#commands.follow(this.#session.servers.connection, { worker, name: this.#name });
    this.#stopWatching = this.#session.presence.onSilent(toPeerKey('worker', worker), {
      silentMs: LOST_AFTER_MS,
      callback: () => void this.#declareLost(worker),
    });
  }

  /** Looks at the record while the log names no worker: one may have died between its claim and its first entry. */
  async #watchUnclaimed(): Promise<void> {
    const { servers } = this.#session ?? {};
    let pauseMs = FIRST_LOOK_MS;
    while (servers !== undefined) {
      await pause(pauseMs);
      if (this.#commands.hasWorker || this.#commands.isGone || this.#isDetached) return;
      if (servers.connection.isClosed()) return;
      const record = await readState(servers, this.#name).catch(() => null);
      if (record !== null) await this.#take(record.state);
      pauseMs = Math.min(pauseMs * 2, MAX_LOOK_MS);
    }
  }

  async #take(state: AttemptState): Promise<void> {
    if (!this.#isOwn(state)) return;
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
        return this.#endLost(state);
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
        this.#commands.setGone({ isLost: false });
        return this.#output?.afterWritten(() => this.#commands.answerAll());
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

  async #endLost({ worker, why }: Extract<AttemptState, { state: 'lost' }>): Promise<void> {
    const output = this.#output;
    const isCut = () => this.#hasExited && !this.#hasOutputEnded && !this.#isDetached;
    for (const untilMs = performance.now() + REST_MS; ; await pause(RETRY_MS)) {
      await this.#reader?.readAll();
      await new Promise<void>((resolve) => output?.afterWritten(resolve));
      if (!isCut() || performance.now() > untilMs) break;
    }
    if (isCut()) output?.tellMissing(`the worker ${worker} was silent; the end of the output may be missing`);
    output?.afterWritten(() => this.#tellLost(why));
  }

  #tellLost(why: string): void {
    // The guard of a worker ends what the worker ran, so that nothing is left of a process whose exit is known.
    const isLost = !this.#hasExited;
    this.#commands.setGone({ isLost });
    if (this.#isDetached) return;
    if (isLost) {
      this.#hosts.noteLost(this.#name);
      this.#port.tell({ type: 'process.lost', why });
    }
    this.#commands.answerAll();
  }

  #lose(why: string): void {
    this.#commands.setGone({ isLost: true });
    this.#port.tell({ type: 'process.lost', why });
  }

  /** `message`: a clause. */
  #fail(message: string): void {
    if (this.#isDetached || this.#commands.isGone) return;
    this.#commands.setGone({ isLost: false });
    if (this.#adopts) return this.#lose(message);
    this.#port.tell({ type: 'process.spawnFailed', cause: 'other', code: null, message });
    this.#commands.answerAll();
  }

  /** Cancels the start by claiming it, unless a worker has done so. */
  async #cancel(): Promise<void> {
    this.#isCancelled = true;
    const session = this.#session;
    if (session === null || this.#commands.hasWorker || this.#commands.isGone) return;
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
}
