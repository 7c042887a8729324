import type { BackendCommand } from '../../machines/process/events.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import { toErrorText } from '../config/error-text.ts';
import { toClause } from '../config/quote.ts';
import type { Backend, BackendPort, SpawnRequest, ToldFact } from '../spawn/backend.ts';
import { readState, writeState } from '../spawn/remote/attempt-records.ts';
import {
  type AttemptName,
  type ControlAnswer,
  type ControlRequest,
  type StartOrder,
  subjects,
} from '../spawn/remote/protocol.ts';
import type { Servers } from '../spawn/remote/servers.ts';
import { runWithReserve } from '../spawn/run-with-reserve.ts';
import type { TreeRegistry } from '../spawn/tree/tree-registry.ts';
import { LogWriter } from './log-writer.ts';

/** Dependencies of the attempts of one worker. */
export interface AttemptDeps {
  readonly servers: Servers;
  readonly clock: Clock;
  readonly worker: string;
  readonly trees: TreeRegistry;
  /** Returns the request to a backend of this machine. @throws an error whose text says why there can be none. */
  readonly toRequest: (order: StartOrder) => { readonly backend: Backend; readonly request: SpawnRequest };
  readonly reportError: (error: unknown) => void;
}

/** An order that a worker has claimed, with the revision of the claim. */
export interface ClaimedOrder {
  readonly name: AttemptName;
  readonly order: StartOrder;
  readonly revision: number;
}

interface AttemptCallbacks {
  /** Called once, when its end is in its record: its place is free. */
  readonly onEnded: () => void;
  /** Called once, when nothing of it is left here. */
  readonly onForgotten: () => void;
}

/** Time after the exit at which an attempt counts as ended although its output is open: a leftover holds it. */
const OUTPUT_END_MS = 3_000;
/** Delay of the state `running`: the record of a shorter attempt is written twice, not three times. */
const RUNNING_AFTER_MS = 50;
const LOOK_MS = 5_000;
const KILL_GRACE_MS = 5_000;

/** An attempt that a worker runs for an asker. */
export class WorkerAttempt {
  readonly name: AttemptName;
  readonly order: StartOrder;
  readonly #deps: AttemptDeps;
  readonly #log: LogWriter;
  readonly #timers = new Set<NodeJS.Timeout>();
  readonly #callbacks: AttemptCallbacks;
  #revision: number;
  #listener: (command: BackendCommand) => void = () => {};
  #cancel: Cancel = () => {};
  #writing: Promise<void> = Promise.resolve();
  #hasExited = false;
  #isOutputEnded = false;
  #isFinal = false;
  #isForgotten = false;
  /** True once its asker has called it lost. */
  #isLost = false;

  constructor(
    claimed: ClaimedOrder,
    { deps, ...callbacks }: AttemptCallbacks & { readonly deps: AttemptDeps },
  ) {
    this.name = claimed.name;
    this.order = claimed.order;
    this.#deps = deps;
    this.#callbacks = callbacks;
    this.#revision = claimed.revision;
    this.#log = new LogWriter(deps.servers, claimed.name);
  }

  start(): void {
    const { worker, clock, reportError } = this.#deps;
    const { identity } = this.order;
    this.#add({ type: 'fact', fact: { type: 'attempt.claimed', worker, identity } });
    try {
      const { backend, request } = this.#deps.toRequest(this.order);
      const port: BackendPort = {
        ...{ request, clock, output: this.#log },
        tell: (fact) => this.#tell(fact),
        keepScreen: (screen) => this.#add({ type: 'screen', screen }),
        onCommand: (listener) => {
          this.#listener = listener;
        },
      };
      this.#cancel = runWithReserve(port, { backend, act: backend.run });
    } catch (error) {
      const message = toClause(toErrorText(error));
      this.#tell({ type: 'process.spawnFailed', cause: 'other', code: null, message });
      if (!(error instanceof Error)) reportError(error);
    }
  }

  /** Executes a command of an asker, and answers it once, perhaps later. */
  execute(command: ControlRequest['command'], reply: (answer: ControlAnswer) => void): void {
    if (command.type === 'attempt.release') {
      if (this.#isFinal) this.#end();
      return reply({ type: 'taken' });
    }
    if (!('to' in command) && isUnanswered(command)) {
      this.#listener(command as BackendCommand);
      return reply({ type: 'taken' });
    }
    const answered = { ...command, reply: (answer: never) => reply({ type: 'replied', reply: answer }) };
    this.#listener(answered as unknown as BackendCommand);
  }

  /** Forgets the attempt. Its processes are left alone. */
  forget(): void {
    this.#end();
  }

  /** Ends the tree by order of the worker, with SIGKILL after a grace. */
  stop({ isForced }: { readonly isForced: boolean }): void {
    const why = { by: 'supervisor', cause: { type: 'kill', by: 'supervisor' } } as const;
    this.#listener({ type: 'tree.end', signal: isForced ? 'SIGKILL' : 'SIGTERM', why });
    if (isForced) return;
    this.#after(KILL_GRACE_MS, () => this.#listener({ type: 'tree.end', signal: 'SIGKILL', why }));
  }

  /** Checks whether another one has called the attempt lost meanwhile, and kills it then. */
  async check(): Promise<void> {
    const record = await readState(this.#deps.servers, this.name);
    if (record?.state.state === 'lost') this.#giveUp();
  }

  #add(content: Parameters<LogWriter['add']>[0]): void {
    if (this.#log.add(content)) return;
    const what = content.type === 'screen' ? 'The last screen' : `The fact ${content.fact.type}`;
    this.#deps.reportError(
      new Error(`${what} of ${this.name.id} was not sent: it exceeds a message of the servers.`),
    );
  }

  #tell(fact: ToldFact): void {
    this.#add({ type: 'fact', fact });
    switch (fact.type) {
      case 'process.spawned': {
        const startedAt = Date.now();
        this.#after(RUNNING_AFTER_MS, () => this.#write({ state: 'running', pid: fact.pid, startedAt }));
        return;
      }
      case 'process.exited':
        this.#hasExited = true;
        this.#after(OUTPUT_END_MS, () => this.#finish());
        if (this.#isOutputEnded) this.#finish();
        return;
      case 'output.ended':
        this.#isOutputEnded = true;
        if (this.#hasExited) this.#finish();
        return;
      case 'process.spawnFailed':
      case 'process.lost':
        this.#finish();
        this.#end();
        return;
      case 'tree.surveyed':
        if (this.#isFinal && fact.leftovers.length === 0) this.#end();
    }
  }

  /** Writes the final state, once everything that was printed before is stored. */
  #finish(): void {
    if (this.#isFinal) return;
    this.#isFinal = true;
    this.#add({ type: 'fact', fact: { type: 'attempt.ended' } });
    const { entries } = this.#log;
    this.#write({ state: 'ended', entries });
    void this.#writing.then(this.#callbacks.onEnded);
    this.#after(LOOK_MS, () => void this.#look().catch(this.#deps.reportError));
  }

  #write(
    state: { state: 'running'; pid: number | null; startedAt: number } | { state: 'ended'; entries: number },
  ): void {
    const { servers, worker, reportError } = this.#deps;
    this.#writing = this.#writing.then(async () => {
      if (this.#isLost || (state.state === 'running' && this.#isFinal)) return;
      if (state.state === 'ended') await this.#log.stored();
      try {
        const full = { ...state, worker, identity: this.order.identity };
        const written = await writeState(servers, { name: this.name, state: full, after: this.#revision });
        this.#revision = written.revision;
        if (!written.isOurs) this.#tellLate(full);
      } catch (error) {
        if (!servers.connection.isClosed()) reportError(error);
      }
    });
  }

  /** Says what became of an attempt that had been called lost, and kills it if it runs. */
  #tellLate(state: object): void {
    this.#giveUp();
    this.#deps.servers.connection.publish(subjects.late(this.name), JSON.stringify(state));
  }

  #giveUp(): void {
    if (this.#isLost) return;
    this.#isLost = true;
    this.stop({ isForced: true });
  }

  /** Ends the watch of leftovers when none is left: their asker may be gone. */
  async #look(): Promise<void> {
    const members = (await this.#deps.trees.get(this.order.id)?.survey()) ?? [];
    if (members.length === 0) return this.#end();
    this.#after(LOOK_MS, () => void this.#look().catch(this.#deps.reportError));
  }

  #end(): void {
    if (this.#isForgotten) return;
    this.#isForgotten = true;
    for (const timer of this.#timers) clearTimeout(timer);
    void this.#writing.then(() => {
      this.#cancel();
      this.#callbacks.onForgotten();
    });
  }

  #after(ms: number, callback: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      callback();
    }, ms);
    this.#timers.add(timer);
  }
}

function isUnanswered({ type }: Exclude<ControlRequest['command'], { type: 'attempt.release' }>): boolean {
  return type === 'tree.end' || type === 'tree.survey' || type === 'output.settle';
}
