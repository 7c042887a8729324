import type { BackendCommand } from '../../machines/process/events.ts';
import type { Clock } from '../../src/clock/clock.ts';
import type { Backend, BackendPort, SpawnRequest, ToldFact } from '../../src/spawn/backend.ts';
import { eventually, type Pace } from './eventually.ts';

/**
 * Stands between a process and the backend that runs it. What the backend does is done for real; what it tells is
 * held until a path says that now is the time. So one thing happens after another, in every order there is.
 */
export interface FactGate {
  readonly backend: Backend;
  /** The newest attempt. */
  readonly attempt: GatedAttempt;
}

/** One attempt: nothing of it has begun until `begin`. */
export interface GatedAttempt {
  readonly request: SpawnRequest;
  /** The backend has signalled whom it found of the tree. */
  readonly isSignalled: boolean;
  /** Lets the backend run or find it, or run something else in its place. */
  begin(work?: SpawnRequest['work']): void;
  /** Waits until the backend has told such a fact, and passes the newest on. */
  pass(type: ToldFact['type']): Promise<void>;
  /** Asks the backend for the tree now; the chart asked before. */
  survey(): void;
  /** To its stdin, also when nobody listens to the backend any more. */
  write(text: string): void;
  /** Says it without the backend. */
  tell(fact: ToldFact): void;
  /** Its supervisor is gone: nobody listens to the backend any more. */
  release(): void;
  /** The actor of the backend throws at the next word that is said to it. */
  breakWith(error: Error): void;
}

/** What is behind the gate. */
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
