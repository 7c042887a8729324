import type { BackendCommand } from '../../machines/process/events.ts';
import type { Clock } from '../../src/clock/clock.ts';
import type { Backend, BackendPort, SpawnRequest, ToldFact } from '../../src/spawn/backend.ts';
import { eventually, type Pace } from './eventually.ts';

/** Holds the facts of a real backend until a path releases them, so that events happen one after another in every possible order. */
export interface FactGate {
  readonly backend: Backend;
  /** Newest attempt. */
  readonly attempt: GatedAttempt;
}

/** One attempt, which has not started until `begin`. */
export interface GatedAttempt {
  readonly request: SpawnRequest;
  /** Resolves once the backend has signalled the tree. */
  readonly isSignalled: boolean;
  /** Lets the backend run or adopt the attempt, or another one in its place. */
  begin(work?: SpawnRequest['work']): void;
  /** Waits until the backend has reported such a fact, and passes the newest on. */
  pass(type: ToldFact['type']): Promise<void>;
  /** Asks the backend for the tree again, after the chart has. */
  survey(): void;
  /** Writes to stdin, even after the process has detached. */
  write(text: string): void;
  /** Reports a fact in place of the backend. */
  tell(fact: ToldFact): void;
  /** Detaches from the backend, whose supervisor is gone. */
  release(): void;
  /** Makes the actor of the backend throw at the next command. */
  breakWith(error: Error): void;
}

/** Backend behind the gate. */
interface Inner {
  readonly backend: () => Backend;
  readonly isDurable: boolean;
  /** `null` for that of the supervisor. */
  readonly clock: Clock | null;
  readonly on: Pace;
}

export function createFactGate(inner: Inner): FactGate {
  const attempts: GatedAttempt[] = [];
  const open = (port: BackendPort, begin: 'run' | 'adopt') => {
    const attempt = createAttempt(port, { ...inner, begin });
    attempts.push(attempt);
    return attempt.release;
  };
  return {
    backend: {
      mode: 'scripted',
      capabilities: {
        input: true,
        terminal: false,
        osProcesses: true,
        separateStreams: !inner.isDurable,
        durable: inner.isDurable,
      },
      run: (port) => open(port, 'run'),
      adopt: (port) => open(port, 'adopt'),
    },
    get attempt() {
      const attempt = attempts.at(-1);
      if (attempt === undefined) throw new Error('Nothing was started yet.');
      return attempt;
    },
  };
}

function createAttempt(port: BackendPort, inner: Inner & { begin: 'run' | 'adopt' }): GatedAttempt {
  const held: ToldFact[] = [];
  let broken: Error | null = null;
  let isSignalled = false;
  let toBackend: (command: BackendCommand) => void = () => {};
  let release = () => {};

  port.onCommand((command) => {
    if (broken !== null) throw broken;
    if (command.type !== 'tree.survey') toBackend(command);
  });

  return {
    request: port.request,
    get isSignalled() {
      return isSignalled;
    },
    begin: (work = port.request.work) => {
      const backend = inner.backend();
      const run = inner.begin === 'adopt' ? backend.adopt : backend.run;
      if (run === undefined) throw new Error('This backend adopts nothing.');
      release = run({
        ...port,
        request: { ...port.request, work },
        clock: inner.clock ?? port.clock,
        tell: (fact) => {
          held.push(fact);
          isSignalled ||= fact.type === 'tree.seen' || fact.type === 'tree.gone';
        },
        onCommand: (listener) => {
          toBackend = listener;
        },
      });
    },
    pass: async (type) => {
      const find = () => held.findLastIndex((fact) => fact.type === type);
      await eventually(() => find() !== -1, { what: `the backend says ${type}`, on: inner.on });
      const [fact] = held.splice(find(), 1);
      if (fact !== undefined) port.tell(fact);
    },
    survey: () => toBackend({ type: 'tree.survey' }),
    write: (text) =>
      toBackend({ type: 'process.write', data: new TextEncoder().encode(text), reply: () => {} }),
    tell: (fact) => port.tell(fact),
    release: () => release(),
    breakWith: (error) => {
      broken = error;
    },
  };
}
