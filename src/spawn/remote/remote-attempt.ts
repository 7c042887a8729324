import { randomUUID } from 'node:crypto';
import type { NatsConnection } from '@nats-io/transport-node';
import type { BackendCommand, WriteResult } from '../../../machines/process/events.ts';
import type { Cancel } from '../../clock/clock.ts';
import { toErrorText } from '../../config/error-text.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import type { BackendPort, ToldFact } from '../backend.ts';
import { refuseScreen, refuseWrite } from '../refusals.ts';
import { readState, writeState } from './attempt-records.ts';
import { LogReader } from './log-reader.ts';
import {
  type AttemptName,
  type AttemptState,
  type ControlAnswer,
  encodeRequest,
  isFinalState,
  type LogEntry,
  type SentCommand,
  type StartOrder,
  subjects,
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
const ANSWER_MS = 5_000;
const RETRY_MS = 300;
/** Bytes of one request: the servers take a megabyte at most. */
const WRITE_BYTES = 256 * 1024;
/** A write may wait for the process to read for as long as it likes. */
const PATIENT_MS = 24 * 3_600_000;

/** Facts of the past that answer commands of an earlier asker. */
const answers: ReadonlySet<ToldFact['type']> = new Set<ToldFact['type']>([
  ...(['tree.surveyed', 'tree.gone', 'tree.seen', 'output.quieted', 'process.signalled'] as const),
]);

/** An attempt on another host as the one who asked for it sees it. */
export class RemoteAttempt {
  readonly #port: BackendPort;
  readonly #hosts: RemoteHosts;
  readonly #name: AttemptName;
  #session: Session | null = null;
  /** Stays open for a while after `detach`, so that a process which was left can still be ended. */
  #connection: NatsConnection | null = null;
  #reader: LogReader | null = null;
  #output: RemoteOutput | null = null;
  /** `null` while none is known. */
  #worker: string | null = null;
  /** Commands from before a worker was known. */
  #waiting: BackendCommand[] = [];
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
      const { asker } = await this.#open();
      if (this.#isCancelled) return this.#fail('it was cancelled before it was ordered');
      await this.#order(asker);
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
    if (this.#isGone) return this.#answerGone(command);
    if (this.#worker === null) this.#waiting.push(command);
    else if (command.type === 'process.write') void this.#sendWrite(command);
    else void this.#send(command);
  }

  /** Follows the attempt no longer. A worker forgets one that has ended. */
  detach(): void {
    const { outlives } = this.#port.request;
    this.#isDetached = true;
    this.#stopWatching();
    this.#cancelReconnect();
    this.#reader?.close();
    if (this.#session === null) return;
    const { connection } = this.#session.servers;
    if (this.#worker !== null && !this.#isGone && (this.#hasExited || !outlives)) {
      connection.publish(
        this.#control(this.#worker),
        encodeRequest({ ...this.#place, command: { type: 'attempt.release' } }),
      );
    }
    this.#session = null;
    this.#hosts.release(this.#output?.close());
  }

  get #place() {
    const { id, attempt } = this.#name;
    return { id, attempt };
  }

  #control(worker: string): string {
    return subjects.control({ worker, tenant: this.#name.tenant });
  }

  async #open(): Promise<Session> {
    if (this.#session !== null) return this.#session;
    const session = await this.#hosts.acquire();
    if (this.#isDetached) {
      this.#hosts.release();
      throw new Error('the process was left');
    }
    this.#session = session;
    this.#connection = session.servers.connection;
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

  async #order(asker: string): Promise<void> {
    const { request } = this.#port;
    const { portable, work } = request;
    if (portable === undefined || work.type === 'function' || work.type === 'worker')
      throw new Error(`a ${work.type} cannot be sent`);
    const { pool, owner, depth, overrides, hints } = portable;
    const order: StartOrder = {
      ...this.#place,
      ...{ asker, owner, depth, work, overrides, hints },
      outlives: request.outlives,
      cwd: request.cwd,
      stdin: request.stdin,
      terminal: request.terminal,
      limits: request.limits,
    };
    const subject = subjects.start({ pool, tenant: this.#name.tenant });
    const { jetstream, connection } = (await this.#open()).servers;
    const text = JSON.stringify(order);
    const limit = connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
    if (Buffer.byteLength(text) > limit - 1_024)
      throw new Error(
        `its command and environment take ${Buffer.byteLength(text)} bytes, and the servers take ${limit}`,
      );
    // Not the name of the attempt: an order of another tenant could have that id, and this one would count as its repetition.
    const msgID = randomUUID();
    while (true) {
      try {
        await jetstream.publish(subject, text, { msgID });
        return;
      } catch (error) {
        // The claim of a worker refuses a second start, so an order may be repeated.
        if (connection.isClosed() || isRefusal(error)) throw error;
        await pause(RETRY_MS);
      }
    }
  }

  /**
   * Orders a start again of which no record exists: its order was lost, or still waits. Not where the process is known to have started, or is
   * so old that its record may have expired, which would start it twice: that is lost, unless it has a record after all.
   */
  async #orderAgain({ servers, asker }: Pick<Session, 'servers' | 'asker'>): Promise<AttemptState | null> {
    const { portable } = this.#port.request;
    const ageMs = this.#port.clock.epochMs() - (portable?.orderedAt ?? 0);
    if (this.#port.startedAtMs !== undefined || ageMs > MAX_ORDER_AGE_MS) {
      const why = 'the servers know nothing of it any more, so how it ended is unknown';
      const lost = { state: 'lost', worker: 'unknown', why } as const;
      return (await writeState(servers, { name: this.#name, state: lost, after: 0 })).state;
    }
    await this.#order(asker);
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
    else if (fact.type !== 'attempt.ended' && !(this.#isReplaying && answers.has(fact.type)))
      output.afterWritten(() => this.#tell(fact));
    return true;
  }

  #tell(fact: ToldFact): void {
    if (this.#isDetached) return;
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
        this.#isGone = true;
        if (this.#adopts) return this.#lose(fact.message);
        break;
      case 'process.exited':
        this.#hasExited = true;
        break;
      case 'process.lost':
        this.#isGone = true;
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
    if (this.#worker !== null || this.#session === null) return;
    this.#worker = worker;
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
      if (this.#worker !== null || this.#isGone || this.#isDetached || this.#session === null) return;
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
        this.#isGone = true;
        return;
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
      if (!servers.connection.isClosed()) this.#hosts.reportError(error);
    }
  }

  #endLost(why: string): void {
    this.#isGone = true;
    if (this.#isDetached) return;
    // The guard of a worker ends what the worker ran, so that nothing is left of a process whose exit is known.
    this.#isLost = !this.#hasExited;
    if (this.#isLost) {
      this.#hosts.noteLost(this.#name);
      this.#port.tell({ type: 'process.lost', why });
    }
    for (const command of this.#waiting.splice(0)) this.#answerGone(command);
  }

  #lose(why: string): void {
    this.#isGone = true;
    this.#isLost = true;
    this.#port.tell({ type: 'process.lost', why });
  }

  #fail(message: string): void {
    if (this.#isDetached || this.#isGone) return;
    this.#isGone = true;
    if (this.#adopts) return this.#lose(message);
    this.#port.tell({ type: 'process.spawnFailed', cause: 'other', code: null, message });
    for (const command of this.#waiting.splice(0)) this.#answerGone(command);
  }

  /** Cancels the start by claiming it, unless a worker has done so. */
  async #cancel(): Promise<void> {
    this.#isCancelled = true;
    const session = this.#session;
    if (session === null || this.#worker !== null || this.#isGone) return;
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

  async #send(command: BackendCommand): Promise<void> {
    const worker = this.#worker;
    if (command.type === 'start.cancel' || worker === null) return;
    const isRepeatable = !('reply' in command);
    const { reply: _, ...sent } = command as BackendCommand & { readonly reply?: unknown };
    const payload = encodeRequest({ ...this.#place, command: sent as SentCommand });
    const timeout = command.type === 'process.write' && command.waits === true ? PATIENT_MS : ANSWER_MS;
    while (true) {
      const connection = this.#connection;
      if (connection === null || connection.isClosed() || this.#isGone) return this.#answerGone(command);
      try {
        const message = await connection.request(this.#control(worker), payload, { timeout });
        const answer = message.json<ControlAnswer>();
        if (answer.type === 'gone') return this.#answerGone(command);
        if (answer.type === 'replied' && 'reply' in command)
          (command.reply as (reply: unknown) => void)(answer.reply);
        return;
      } catch (error) {
        if (!isRepeatable) return refuse(command, describeSilence(worker, error));
        await pause(RETRY_MS);
      }
    }
  }

  /** Sends bytes in pieces that the servers take, one after the other. */
  async #sendWrite(command: Extract<BackendCommand, { type: 'process.write' }>): Promise<void> {
    const { data, reply } = command;
    let bytesWritten = 0;
    do {
      const piece = data.subarray(bytesWritten, bytesWritten + WRITE_BYTES);
      const { promise, resolve } = Promise.withResolvers<WriteResult>();
      void this.#send({ ...command, data: piece, reply: resolve });
      const result = await promise;
      bytesWritten += result.bytesWritten;
      if (!result.ok || result.bytesWritten < piece.byteLength) return reply({ ...result, bytesWritten });
    } while (bytesWritten < data.byteLength);
    reply({ ok: true, bytesWritten });
  }

  /** Answers as a process that has ended with everything it started. Of a lost one nothing is proven. */
  #answerGone(command: BackendCommand): void {
    if (this.#isDetached) return;
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

/** Orders that wait longer are dropped by the servers. */
const MAX_ORDER_AGE_MS = 20 * 3_600_000;

function isRefusal(error: unknown): boolean {
  return /maximum|permission|stream not found|no responders/i.test(toErrorText(error));
}

function describeSilence(worker: string, error: unknown): string {
  return /no responders/i.test(toErrorText(error))
    ? `The worker ${worker} does not answer: it has ended, or the servers cannot reach it.`
    : `The worker ${worker} did not answer within ${ANSWER_MS / 1_000} s, so whether it was done is unknown: ${toErrorText(error)}.`;
}

function refuse(command: BackendCommand, error: string): void {
  switch (command.type) {
    case 'tree.signal':
    case 'tree.pause':
    case 'tree.resume':
      return command.reply({ ok: false, error });
    case 'terminal.capture':
      return command.reply(refuseScreen('notRunning', error));
    case 'process.write':
    case 'process.endInput':
    case 'process.resize':
    case 'terminal.sendKeys':
      command.reply(refuseWrite('broken', error));
  }
}
