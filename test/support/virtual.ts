import {
  createSupervisor,
  type RuntimeEvent,
  type Supervisor,
  type SupervisorOptions,
} from '../../src/index.ts';
import {
  createScriptedBackend,
  createVirtualClock,
  type Script,
  type ScriptedBackend,
  type ScriptedRun,
  type VirtualClock,
} from '../../src/testing/index.ts';

export interface VirtualOptions extends Omit<SupervisorOptions, 'clock'> {
  /** Default: a new one, at `epochMs`. */
  readonly clock?: VirtualClock | undefined;
  /** Plays each attempt. Without it a test plays them one by one. */
  readonly script?: Script;
  /** Accepts persistent processes, and continues those of another supervisor. Default false. */
  readonly durable?: boolean;
  /** Gives interactive processes a terminal. Default false. */
  readonly hasTerminal?: boolean;
  /** Wall-clock time at the start, in ms since 1970. */
  readonly epochMs?: number;
}

/** A supervisor on scripted processes and a virtual clock, without the operating system. */
export interface VirtualHarness extends AsyncDisposable {
  readonly supervisor: Supervisor;
  readonly backend: ScriptedBackend;
  readonly clock: VirtualClock;
  /** Events of the supervisor, oldest first. */
  readonly events: readonly RuntimeEvent[];
  /** Counts the events of a type. */
  count(type: RuntimeEvent['type']): number;
  /** Returns the attempt that was started as number `index`. */
  run(index: number): ScriptedRun;
  /** Moves the time forward in steps of 50 ms, after each of which everything happens that needs no time. */
  pass(ms: number): Promise<void>;
}

/** Creates a supervisor whose disposal kills what is alive. It has no state directory unless one is named. */
export function createVirtualHarness(options: VirtualOptions = {}): VirtualHarness {
  const { script, durable = false, hasTerminal = false, epochMs, ...rest } = options;
  const { clock = createVirtualClock(epochMs === undefined ? {} : { epochMs }), ...settings } = rest;
  const backend = createScriptedBackend(script, { durable, terminal: hasTerminal });
  const supervisor = createSupervisor({ backend, clock, stateDirectory: false, control: false, ...settings });
  const events: RuntimeEvent[] = [];
  supervisor.events$.subscribe((event) => events.push(event));
  return {
    supervisor,
    backend,
    clock,
    events,
    count: (type) => events.filter((event) => event.type === type).length,
    run: (index) => {
      const run = backend.runs[index];
      if (run === undefined)
        throw new Error(`There are ${backend.runs.length} runs, none is number ${index}.`);
      return run;
    },
    pass: async (ms) => {
      await turn();
      for (let left = ms; left > 0; left -= 50) {
        clock.advance(Math.min(50, left));
        await turn();
      }
    },
    [Symbol.asyncDispose]: async () => {
      const done = supervisor.shutdown();
      // The grace before SIGKILL and the deadline of a shutdown need time.
      clock.advance(60_000);
      await done;
    },
  };
}

/** Lets everything happen that needs no time; `count` is the number of turns of the event loop. */
export async function turn(count = 1): Promise<void> {
  for (let turns = 0; turns < count; turns += 1) await new Promise((resolve) => setImmediate(resolve));
}
