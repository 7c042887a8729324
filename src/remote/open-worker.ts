import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import type { JsMsg } from '@nats-io/jetstream';
import type { Msg } from '@nats-io/transport-node';
import { toErrorText } from '../config/error-text.ts';
import { parseOptions } from '../config/parse-options.ts';
import { toHostName } from '../config/remote-options.ts';
import { supervisorOptions } from '../config/supervisor-options.ts';
import type { Backend, SpawnRequest } from '../spawn/backend.ts';
import { planLimits, readLimitPowers } from '../spawn/limits.ts';
import { writeState } from '../spawn/remote/attempt-records.ts';
import { openPresence } from '../spawn/remote/presence.ts';
import {
  type ControlAnswer,
  decodeRequest,
  type StartOrder,
  toKey,
  toPeerKey,
  type WorkerBeat,
} from '../spawn/remote/protocol.ts';
import { openServers, type Servers } from '../spawn/remote/servers.ts';
import { toEnvironment } from '../supervisor/create-plan.ts';
import {
  closeBackends,
  closeGuards,
  createSupervisorDeps,
  type SupervisorDeps,
} from '../supervisor/supervisor-deps.ts';
import { watchFence } from './fence.ts';
import { takeStarts } from './take-starts.ts';
import { type AttemptDeps, WorkerAttempt } from './worker-attempt.ts';
import { type WorkerOptions, workerOptions } from './worker-options.ts';

/** A worker that runs commands of other hosts. */
export interface RemoteWorker {
  /** Name of this run of the worker, `<name>.<random>`. */
  readonly id: string;
  /** Number of processes that run now. */
  readonly running: number;
  /** Takes no more commands, and resolves when none runs any more: persistent ones continue until they end or are killed. */
  drain(): Promise<void>;
  /** Kills its processes, reports their ends, and closes the connection. Resolves when no process is left. */
  close(): Promise<void>;
}

/** An asker whose `session` processes are to end with it is dead after this. */
const ASKER_GONE_MS = 10_000;
/** Time that a kill of everything may take. */
const CLOSE_MS = 10_000;

/**
 * Opens a worker: it takes commands of its pools from the queue, as many as it has places, and runs them on this machine. It keeps the program
 * running until it is closed. If the program dies, its guard kills the commands, and their askers learn it within five seconds.
 *
 * @throws TroupeError `unreachable` where no server answers, `invalid-option`
 */
export async function openWorker(options: WorkerOptions): Promise<RemoteWorker> {
  const settings = parseOptions(workerOptions, { input: options, name: 'openWorker' });
  const name = settings.name ?? toHostName(hostname());
  const id = `${name}.${randomUUID().slice(0, 8)}`;
  const reportError =
    settings.onError ?? ((error) => process.emitWarning(toErrorText(error), { type: 'TroupeWorkerWarning' }));
  const servers = await openServers(settings, { name: id, inboxPrefix: `_INBOX_worker_${name}` });
  const { cwd, env, redactNames, cgroups, capacity, pools } = settings;
  const local = supervisorOptions.parse({
    cwd,
    env,
    redactNames,
    cgroups,
    stateDirectory: false,
    control: false,
  });
  const deps = createSupervisorDeps(local, { reportError, onIdentity: () => {} });
  const worker = new Worker({ id, servers, deps, reportError, capacity, pools });
  worker.begin(settings.isolation);
  return worker;
}

interface WorkerParts {
  readonly id: string;
  readonly servers: Servers;
  readonly deps: SupervisorDeps;
  readonly reportError: (error: unknown) => void;
  readonly capacity: number;
  readonly pools: readonly string[];
}

class Worker implements RemoteWorker {
  readonly id: string;
  readonly #parts: WorkerParts;
  readonly #attempts = new Map<string, WorkerAttempt>();
  readonly #attemptDeps: AttemptDeps;
  /** Ends the watch of the asker of an attempt. */
  readonly #askers = new Map<string, () => void>();
  #running = 0;
  #isDraining = false;
  #onEnded: () => void = () => {};
  #end: () => Promise<void> = async () => {};
  #stopTaking: () => Promise<void> = async () => {};
  #onIdle: (() => void)[] = [];
  #closing: Promise<void> | null = null;

  constructor(parts: WorkerParts) {
    const { id, servers, deps, reportError } = parts;
    this.id = id;
    this.#parts = parts;
    this.#attemptDeps = {
      ...{ servers, reportError, worker: id, clock: deps.clock, trees: deps.trees },
      toRequest: (order) => toRequest(order, deps),
    };
  }

  get running(): number {
    return this.#running;
  }

  begin(isolatedMs: number): void {
    const { servers, reportError, capacity, pools } = this.#parts;
    const presence = openPresence(servers, {
      key: toPeerKey('worker', this.id),
      describe: (): WorkerBeat => ({
        ...{ running: this.#running, capacity, pools },
        isDraining: this.#isDraining,
      }),
      onError: reportError,
    });
    const stopFence = watchFence(presence, {
      isolatedMs: isolatedMs === 0 ? Number.POSITIVE_INFINITY : isolatedMs,
      onFence: (why) => this.#fence(why),
    });
    const control = servers.connection.subscribe(`troupe.control.${this.id}.*`, {
      callback: (error, message) => {
        if (error === null) this.#answer(message);
      },
    });
    const queue = takeStarts(servers, {
      pools,
      free: () => (this.#isDraining ? 0 : capacity - this.#running),
      take: (message) =>
        this.#take(message, (attempt) =>
          presence.onSilent(toPeerKey('asker', attempt.order.asker), {
            silentMs: ASKER_GONE_MS,
            callback: () => attempt.stop({ isForced: false }),
          }),
        ),
      reportError,
    });
    servers.onReconnect(() => {
      for (const attempt of this.#attempts.values()) attempt.check().catch(() => {});
    });
    this.#onEnded = () => {
      queue.wake();
      if (this.#running === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
    };
    this.#stopTaking = () => queue.close();
    this.#end = async () => {
      stopFence();
      await presence.close();
      control.unsubscribe();
      await servers.peers.delete(toPeerKey('worker', this.id)).catch(() => {});
      await servers.close();
    };
  }

  async drain(): Promise<void> {
    this.#isDraining = true;
    await this.#stopTaking();
    if (this.#running > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const drained = this.drain();
    for (const attempt of this.#attempts.values()) attempt.stop({ isForced: true });
    const timer = Promise.withResolvers<void>();
    const late = setTimeout(timer.resolve, CLOSE_MS);
    await Promise.race([drained, timer.promise]);
    clearTimeout(late);
    for (const attempt of this.#attempts.values()) attempt.forget();
    await this.#end();
    const { deps } = this.#parts;
    await closeBackends(deps);
    await closeGuards(deps);
  }

  /** Claims an order and starts it. */
  async #take(message: JsMsg, watchAsker: (attempt: WorkerAttempt) => () => void): Promise<void> {
    const tenant = message.subject.split('.')[3] ?? '';
    const order = parseOrder(message);
    if (order === null) {
      message.term('it is no order');
      return this.#parts.reportError(new Error(`${message.subject} has an order that cannot be read.`));
    }
    const name = { tenant, id: order.id, attempt: order.attempt };
    const { servers } = this.#parts;
    const { identity } = order;
    const state = { state: 'claimed', worker: this.id, identity } as const;
    const claim = await writeState(servers, { name, state, after: 0 });
    // After the claim: an order that is delivered again finds it, and nothing starts twice.
    message.ack();
    if (!claim.isOurs) return;
    const key = toKey(name);
    this.#running += 1;
    const attempt = new WorkerAttempt(
      { name, order, revision: claim.revision },
      {
        deps: this.#attemptDeps,
        onEnded: () => {
          this.#running -= 1;
          this.#onEnded();
        },
        onForgotten: () => {
          this.#attempts.delete(key);
          this.#askers.get(key)?.();
          this.#askers.delete(key);
        },
      },
    );
    this.#attempts.set(key, attempt);
    attempt.start();
    if (!order.outlives) this.#askers.set(key, watchAsker(attempt));
  }

  /** Answers a request about an attempt of the tenant that the subject names, as the servers have checked it. */
  #answer(message: Msg): void {
    // Messages that another tenant has delivered here keep their subject.
    if (!message.subject.startsWith('troupe.control.')) return;
    const tenant = message.subject.split('.').at(-1) ?? '';
    const reply = (answer: ControlAnswer) => message.respond(JSON.stringify(answer));
    try {
      const { id, attempt, command } = decodeRequest(message.data);
      const found = this.#attempts.get(toKey({ tenant, id, attempt }));
      if (found === undefined) reply({ type: 'gone' });
      else found.execute(command, reply);
    } catch (error) {
      this.#parts.reportError(error);
    }
  }

  /** Kills what others may have called lost. */
  #fence(why: string): void {
    const alive = [...this.#attempts.values()];
    if (alive.length === 0) return;
    this.#parts.reportError(
      new Error(`${alive.length} processes are killed, since they may have been called lost: ${why}.`),
    );
    for (const attempt of alive) attempt.stop({ isForced: true });
  }
}

function parseOrder(message: JsMsg): StartOrder | null {
  try {
    const order = message.json<StartOrder>();
    return typeof order.id === 'string' && typeof order.attempt === 'number' ? order : null;
  } catch {
    return null;
  }
}

/** Converts an order to a request to a backend of this machine. @throws an error that names the missing ability. */
function toRequest(
  order: StartOrder,
  deps: SupervisorDeps,
): { readonly backend: Backend; readonly request: SpawnRequest } {
  const { id, attempt, work, stdin, terminal, owner, depth, overrides, hints } = order;
  const backend = terminal === null ? deps.backend : deps.terminals.pty();
  if ('why' in backend)
    throw new Error(`Its worker has no terminal for it: ${backend.why}. ${backend.remedy}.`);
  const hasTerminal = terminal !== null;
  const env = toEnvironment({ id, owner, depth, hints, hasTerminal, overrides }, deps);
  const request: SpawnRequest = {
    ...{ id, attempt, work, env, stdin, terminal },
    cwd: resolve(deps.cwd, order.cwd),
    ...{ files: null, outlives: false, secrets: [] },
    limits: toLimits(order, deps),
  };
  return { backend, request };
}

function toLimits({ limits }: StartOrder, { cgroups }: SupervisorDeps): SpawnRequest['limits'] {
  if (limits === null) return null;
  const { memoryOf: _, ...wanted } = limits;
  const powers = readLimitPowers(cgroups === null ? () => 'it has no cgroups' : cgroups.enable);
  const planned = planLimits(wanted, { writesOwnLog: false, powers });
  if (!('option' in planned)) return planned;
  throw new Error(
    `Its worker cannot keep "resourceLimits.${planned.option}": ${planned.why}. ${planned.remedy}`,
  );
}
