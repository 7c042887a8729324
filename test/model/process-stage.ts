import type { AnyActorRef, InspectionEvent } from 'xstate';
import type { processMachine } from '../../machines/process/machine.ts';
import type { SupervisedProcess } from '../../src/process/supervised-process.ts';
import type { Backend } from '../../src/spawn/backend.ts';
import { parseSpec } from '../../src/supervisor/plan-process.ts';
import { recover, recoverToStop } from '../../src/supervisor/recover.ts';
import type { Runtime } from '../../src/supervisor/runtime.ts';
import { shutDown } from '../../src/supervisor/shut-down.ts';
import { startProcess } from '../../src/supervisor/start-process.ts';
import { createScriptedBackend } from '../../src/testing/scripted-backend.ts';
import { createVirtualClock, type VirtualClock } from '../../src/testing/virtual-clock.ts';
import { tempDir } from '../support/os.ts';
import type { Pace } from './eventually.ts';
import { openRuntime } from './open-runtime.ts';
import type { Scene } from './process-driver.ts';
import type { ModelRow, ProcessState } from './process-model.ts';
import { createRealWorld, type RealWorld } from './real-world.ts';
import { createScriptedWorld } from './scripted-world.ts';

export interface StageOptions {
  readonly row: ModelRow;
  readonly on: Pace;
  readonly inspect?: (event: InspectionEvent) => void;
  /** Another chart, whose difference must be detected. */
  readonly chart?: typeof processMachine;
}

/** View of the process under its newest supervisor. */
export interface Seen {
  /** Types of the events that the actor of the process has handled. */
  readonly heard: readonly string[];
  readonly state: ProcessState;
  /** Number of timeline entries from an earlier supervisor. */
  readonly earlierEntries: number;
}

export interface Stage {
  readonly scene: Scene;
  readonly seen: Seen;
  /** Replaces a dead supervisor by another one. */
  succeed(): Promise<void>;
  close(): Promise<void>;
}

/** Creates a supervisor with one occupied slot and a process that waits for it, or one that is to adopt a process. */
export function openStage(options: StageOptions): Stage {
  const { row, on } = options;
  const directory = row.isPersistent ? tempDir() : null;
  const write = (order: string) => scene.process.write(`${order}\n`);
  const place: RealWorld =
    on === 'scripts'
      ? { ...createScriptedWorld(row, () => house.clock), command: ['scripted'], env: {} }
      : createRealWorld(row, { write, trees: () => house.deps.trees });
  const stateDirectory = directory?.path ?? (false as const);
  // Counts steps only of what the path is about.
  const { chart, inspect, ...unwatched } = options;
  let house = openHouse({ ...(row.before === null ? options : unwatched), place, stateDirectory });
  house.start();

  const scene: Scene = {
    get process() {
      if (house.process === null) throw new Error('It was not taken over yet.');
      return house.process.handle;
    },
    get clock() {
      return house.clock;
    },
    world: place.world,
    gate: place.gate,
    freeSlot: () => house.freeSlot(),
    isTakenOver: () => house.process !== null,
    recover: (found) => house.recover(found),
    shutDown: () => void house.shutDown(),
    untilHeard: (type) => {
      const before = house.heard.length;
      for (let steps = 0; steps < 400; steps += 1) {
        if (house.heard.slice(before).includes(type)) return;
        house.clock.advance(100);
      }
    },
  };
  return {
    scene,
    seen: {
      get heard() {
        return house.heard;
      },
      get state() {
        if (house.actor === null) throw new Error('Its actor was never seen.');
        return house.actor.getSnapshot() as ProcessState;
      },
      get earlierEntries() {
        return house.earlierEntries;
      },
    },
    succeed: async () => {
      await house.leave();
      place.gate.attempt.release();
      house = openHouse({ ...options, place, stateDirectory });
    },
    close: async () => {
      await place.world.dispose();
      await house.end();
      directory?.remove();
    },
  };
}

interface HouseOptions extends StageOptions {
  readonly place: RealWorld;
  readonly stateDirectory: string | false;
}

/** One supervisor with its own clock, and the process while it is in it. */
function openHouse({ row, on, inspect, chart, place, stateDirectory }: HouseOptions) {
  // Output of a program has the time of the machine.
  const clock: VirtualClock = createVirtualClock(on === 'scripts' ? {} : { epochMs: Date.now() });
  const blocker = createScriptedBackend();
  const { backend: gated } = place.gate;
  const backend: Backend = {
    ...gated,
    run: (port) => (port.request.env['BLOCKER'] === undefined ? gated.run(port) : blocker.run(port)),
  };
  const { runtime, deps } = openRuntime({ clock, backend, maxParallelTools: 1, stateDirectory });
  const processDeps = chart === undefined ? runtime.processDeps : withChart(runtime, chart);
  const charted = { ...runtime, processDeps };
  let stopping: Promise<unknown> | null = null;

  const watch = () =>
    runtime.admission.actor.system.inspect({
      next: (inspected) => {
        inspect?.(inspected);
        if (inspected.type === '@xstate.actor') house.actor ??= inspected.actorRef as AnyActorRef;
        if (inspected.type === '@xstate.snapshot' && inspected.actorRef === house.actor)
          house.heard.push(inspected.event.type);
      },
    });

  const house = {
    clock,
    deps,
    heard: [] as string[],
    process: null as SupervisedProcess | null,
    actor: null as AnyActorRef | null,
    earlierEntries: 0,
    freeSlot: () => blocker.lastRun.exit(),
    start: () => {
      const blocking = { command: ['blocker'], env: { BLOCKER: '1' }, timeout: 0 };
      startProcess(parseSpec(blocking), { runtime, deps });
      watch();
      const spec = { command: place.command, env: place.env, stdin: 'pipe', ...toSpec(row) };
      house.process = startProcess(parseSpec(spec), { runtime: charted, deps });
    },
    recover: ({ isSameBoot, toStop = false }: { isSameBoot: boolean; toStop?: boolean }) => {
      watch();
      const { store } = deps;
      const record = store?.load().records.find(({ view }) => view.lifetime === 'persistent');
      if (store === null || record === undefined) throw new Error('Nothing was left behind.');
      const { id } = record.view;
      if (!isSameBoot) store.save(id, { ...record, scope: { ...record.scope, bootId: 'another' } });
      house.earlierEntries = record.timeline.length;
      if (toStop) recoverToStop(id, { runtime: charted, deps });
      else recover(charted, deps);
      house.process = runtime.registry.get(id) ?? null;
    },
    shutDown: () => {
      stopping = shutDown(runtime, deps);
    },
    /** Keeps only what the supervisor has persisted. */
    leave: async () => {
      await stopping;
      runtime.records.flush();
      deps.supervisors?.unregister(deps.supervisorId);
    },
    /** Finishes a shutdown, if need be by its deadline. */
    end: async () => {
      if (stopping !== null) clock.advance(60_000);
      await stopping;
    },
  };
  return house;
}

function withChart({ processDeps }: Runtime, chart: typeof processMachine): Runtime['processDeps'] {
  return { ...processDeps, machine: chart.provide(processDeps.machine.implementations as never) };
}

function toSpec({ input, isPersistent }: ModelRow) {
  const { limits, restart } = input;
  return {
    lifetime: isPersistent ? 'persistent' : 'session',
    onTimeout: input.onTimeout,
    leftovers: input.leftoverPolicy,
    timeout: limits.timeoutMs,
    maxExecutionTime: limits.maxExecutionMs,
    maxBackgroundTime: limits.maxBackgroundMs,
    killGrace: limits.killGraceMs,
    drainQuiet: limits.drainQuietMs,
    drainMax: limits.drainMaxMs,
    notifyAfterSilence: limits.notifyAfterSilenceMs,
    notifyAfter: limits.notifyAfterMs,
    restart: {
      policy: restart.policy,
      maxRestarts: restart.maxRestarts,
      within: restart.withinMs,
      minBackoff: restart.minBackoffMs,
      maxBackoff: restart.maxBackoffMs,
      healthyAfter: restart.healthyAfterMs,
    },
  };
}
