import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import type { ExitStatus } from '../../../machines/process/context.ts';
import { LINEAGE } from '../environment.ts';
import { type ProgramResult, startChild } from '../start-child.ts';
import { parseStatLine } from '../tree/stat-line.ts';
import { starterScript } from './starter-script.ts';

/** Program to start. */
export interface StartOrder {
  readonly command: readonly [file: string, ...args: readonly string[]];
  /** Name under which the program runs. Default: its file. */
  readonly argv0?: string;
  /** True if it begins in a session of its own. Default: true. */
  readonly isDetached?: boolean;
  readonly cwd: string;
  /** Complete environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: readonly StarterStdio[];
}

/**
 * Descriptor of a child: nothing, a descriptor of this program that is opened anew, for a terminal to read and write, or a pipe that stays open
 * until the starter or the child ends.
 */
export type StarterStdio =
  | 'ignore'
  | 'held'
  | { readonly fd: number; readonly access: 'read' | 'write' | 'append' | 'terminal' };

/** Program that the starter has started. */
export interface StarterChild {
  readonly pid: number;
  /** Start time in the unit of the process table; empty where it ended before it could be read. */
  readonly startTicks: string;
  /** Resolves to `null` if the starter ended first: the exit is then unknown, and the program may still run. */
  readonly exited: Promise<ExitStatus | null>;
  /** Stops it from keeping this program alive. */
  unref(): void;
}

/** Short program that the starter runs to its end. */
export interface RunOrder {
  readonly command: readonly [file: string, ...args: readonly string[]];
  /** Complete environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Complete stdin. */
  readonly input: string | Uint8Array;
  /** Time after which it is killed and has failed. */
  readonly timeoutMs: number;
}

/** Rejection of `start` and `run` where it is unknown whether the program was started. */
export class StarterEnded extends Error {
  override readonly name = 'StarterEnded';
}

/** A running starter. */
export interface StarterProcess {
  readonly pid: number | null;
  start(order: StartOrder): Promise<StarterChild>;
  run(order: RunOrder): Promise<ProgramResult>;
  /** Ends it; resolves at its exit. */
  close(): Promise<void>;
}

type Answer =
  | { readonly ready: true }
  | { readonly id: number; readonly pid: number; readonly stat: string }
  | { readonly id: number; readonly error: { readonly code?: string; readonly message: string } }
  | { readonly id: number; readonly exit: ExitStatus }
  | { readonly id: number; readonly ran: ProgramResult };

/** Options of the starter's Node: it keeps little, and its heap stays small. */
const flags = ['--max-semi-space-size=1', '-e', starterScript];

/** Time limit of an orderly end. */
const CLOSE_MS = 1_000;

/** Starts a starter. `onEnd` is called once: with the reason if it ended before it was ready, with `null` otherwise. */
export function createStarterProcess(options: {
  readonly inheritedLineage: string | undefined;
  readonly onReady: () => void;
  readonly onEnd: (why: string | null) => void;
}): StarterProcess {
  const child = startNode(options.inheritedLineage);
  const { stdin, stdout } = child;
  const starts = new Map<number, PromiseWithResolvers<StarterChild>>();
  const children = createChildren(() => keepAlive());
  const runs = new Map<number, PromiseWithResolvers<ProgramResult>>();
  let lastId = 0;
  let isReady = false;
  let isClosed = false;
  const ended = Promise.withResolvers<void>();

  const keepAlive = () => {
    if (!(stdout instanceof Socket)) return;
    if (starts.size + children.awaited + runs.size > 0) stdout.ref();
    else stdout.unref();
  };

  function hear(answer: Answer): void {
    if ('ready' in answer) {
      isReady = true;
      return options.onReady();
    }
    const { id } = answer;
    if ('exit' in answer) children.exited(id, answer.exit);
    else if ('ran' in answer) {
      runs.get(id)?.resolve(answer.ran);
      runs.delete(id);
    } else {
      const start = starts.get(id);
      starts.delete(id);
      if ('error' in answer) start?.reject(Object.assign(new Error(answer.error.message), answer.error));
      else start?.resolve(children.add(answer));
    }
    keepAlive();
  }

  /** Sends an order with a new id; its answer settles its entry in `waiting`. */
  function send<T>(waiting: Map<number, PromiseWithResolvers<T>>, order: object): Promise<T> {
    const answer = Promise.withResolvers<T>();
    if (isClosed) answer.reject(new StarterEnded('the starter process has ended'));
    else {
      lastId += 1;
      waiting.set(lastId, answer);
      stdin?.write(`${JSON.stringify({ id: lastId, ...order })}\n`);
      keepAlive();
    }
    return answer.promise;
  }

  /** Settles what waits for a line. All lines were read by now: the output closes before. */
  function end(why: string): void {
    // A failed start is followed by `close`.
    if (isClosed) return;
    isClosed = true;
    options.onEnd(isReady ? null : why);
    const ending = new StarterEnded(`the starter process ended (${why})`);
    for (const { reject } of [...starts.values(), ...runs.values()]) reject(ending);
    children.lose();
    for (const waiting of [starts, runs]) waiting.clear();
    ended.resolve();
  }

  child.once('error', (error) => end(error.message));
  child.once('close', (code, signal) => end(signal ?? `code ${code}`));
  // EPIPE is followed by `close`.
  stdin?.on('error', () => {});
  if (stdout !== null) readLines(stdout, (line) => hear(JSON.parse(line) as Answer));
  child.unref();
  if (stdin instanceof Socket) stdin.unref();
  keepAlive();

  return {
    pid: child.pid ?? null,
    start: (order) => send(starts, order),
    run: ({ command, input, ...order }) =>
      send(runs, { ...order, run: command, input: Buffer.from(input).toString('base64') }),
    close: async () => {
      if (isClosed) return;
      child.ref();
      stdin?.end();
      const force = setTimeout(() => child.kill('SIGKILL'), CLOSE_MS);
      await ended.promise;
      clearTimeout(force);
    },
  };
}

/** Creates the children of one starter. `onUnref` is called when one stops keeping this program alive. */
function createChildren(onUnref: () => void) {
  const exits = new Map<number, PromiseWithResolvers<ExitStatus | null>>();
  const awaited = new Set<number>();
  return {
    /** Number of children that keep this program alive. */
    get awaited() {
      return awaited.size;
    },
    add: ({ id, pid, stat }: { id: number; pid: number; stat: string }): StarterChild => {
      const exit = Promise.withResolvers<ExitStatus | null>();
      exits.set(id, exit);
      awaited.add(id);
      const unref = () => {
        awaited.delete(id);
        onUnref();
      };
      return { pid, startTicks: parseStatLine(stat)?.startTicks ?? '', exited: exit.promise, unref };
    },
    exited: (id: number, exit: ExitStatus): void => {
      exits.get(id)?.resolve(exit);
      exits.delete(id);
      awaited.delete(id);
    },
    /** Settles all exits as unknown, because the starter has ended. */
    lose: (): void => {
      for (const { resolve } of exits.values()) resolve(null);
      exits.clear();
      awaited.clear();
    },
  };
}

/** Calls `onLine` for each complete line. */
function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
}

function startNode(inheritedLineage: string | undefined): ChildProcess {
  return startChild(process.execPath, [...flags, `${process.pid}`], {
    detached: true,
    cwd: '/',
    stdio: ['pipe', 'pipe', 'ignore'],
    env: {
      // Electron's program is a Node with this variable only.
      ELECTRON_RUN_AS_NODE: '1',
      ...(inheritedLineage !== undefined && { [LINEAGE]: inheritedLineage }),
    },
  });
}
