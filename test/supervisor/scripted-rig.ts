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

export interface ScriptedRig extends AsyncDisposable {
  readonly supervisor: Supervisor;
  readonly backend: ScriptedBackend;
  readonly clock: VirtualClock;
  /** All that the supervisor told, oldest first. */
  readonly events: readonly RuntimeEvent[];
  /** How many events of that type there were. */
  count(type: RuntimeEvent['type']): number;
  /** The attempt that was started as number `index`. */
  run(index: number): ScriptedRun;
}

/** A supervisor whose processes are played by hand and whose time stands still. Its end kills what is alive. */
export function createScriptedRig(options: SupervisorOptions & { script?: Script } = {}): ScriptedRig {
  const { script, ...rest } = options;
  const backend = createScriptedBackend(script);
  const clock = createVirtualClock();
  const supervisor = createSupervisor({ backend, clock, stateDirectory: false, ...rest });
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
    [Symbol.asyncDispose]: async () => {
      const done = supervisor.shutdown();
      // What did not obey is killed, and what did not die is given up: both take time.
      clock.advance(60_000);
      await done;
    },
  };
}

/** Lets everything happen that needs no time. */
export function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
