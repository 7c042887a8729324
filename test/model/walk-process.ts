import { isDeepStrictEqual } from 'node:util';
import { type AnyActorRef, createActor, type InspectionEvent } from 'xstate';
import type { TreeMember } from '../../machines/process/context.ts';
import type { processMachine } from '../../machines/process/machine.ts';
import { toLifeView } from '../../machines/process/view.ts';
import type { Backend } from '../../src/spawn/backend.ts';
import { parseSpec } from '../../src/supervisor/plan-process.ts';
import type { Runtime } from '../../src/supervisor/runtime.ts';
import { startProcess } from '../../src/supervisor/start-process.ts';
import { describePath } from '../../src/testing/paths/generate-paths.ts';
import { createScriptedBackend } from '../../src/testing/scripted-backend.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { eventually, type Pace } from './eventually.ts';
import { openRuntime } from './open-runtime.ts';
import { processDriver, type Scene } from './process-driver.ts';
import {
  type CountMembers,
  type ModelEvent,
  type ModelRow,
  outlineContext,
  outlineReason,
  outlineReceipt,
  type ProcessPath,
  type ProcessState,
  processModel,
} from './process-model.ts';
import { createRealWorld } from './real-world.ts';
import { createScriptedWorld } from './scripted-world.ts';

export interface Walk {
  readonly row: ModelRow;
  readonly path: ProcessPath;
  readonly on: Pace;
  readonly inspect?: (event: InspectionEvent) => void;
  /** Another chart than ours, to be found out. */
  readonly chart?: typeof processMachine;
}

/** Walks a path. `null` when model, API and operating system agreed at each step; else where they did not. */
export async function walkProcess(walk: Walk): Promise<string | null> {
  const { scene, seen, close } = openScene(walk);
  const model = createActor(processModel, { input: walk.row.input });
  const count: CountMembers = ({ length }) => (walk.on === 'scripts' ? length : Math.min(length, 1));
  const announced: string[] = [];
  model.on('*', ({ type }) => announced.push(type.replace('process.', '')));
  model.start();

  const done: { event: ModelEvent }[] = [];
  try {
    compare();
    for (const { event } of walk.path) {
      done.push({ event });
      const before = seen.heard.length;
      await perform(scene, event);
      await eventually(() => seen.heard.slice(before).includes(event.type), {
        what: `it hears ${event.type}`,
        on: walk.on,
      });
      model.send(event as Parameters<typeof model.send>[0]);
      compare();
      await scene.world.check(seen.state);
    }
    return null;
  } catch (error) {
    return `${walk.row.name}, on ${walk.on}: ${describePath(done)}\n${String(error)}`;
  } finally {
    await close();
  }

  function compare() {
    const expected = { ...outlineState(model.getSnapshot(), count), announced };
    const actual = {
      ...outlineState(seen.state, count),
      announced: scene.process
        .timeline()
        .map(({ event }) => event)
        .filter((event) => announcements.has(event)),
    };
    expectSame(actual, expected);
    expectSame(outlineView(scene.process.view(), count), outlineLife(model.getSnapshot(), count));
  }
}

const announcements = new Set<string>([
  'started',
  'backgrounded',
  'stopping',
  'survived',
  'restarting',
  'silent',
  'elapsed',
  'ended',
]);

function perform(scene: Scene, event: ModelEvent): Promise<void> | void {
  return processDriver[event.type](scene, event as never);
}

function outlineState(state: ProcessState, count: CountMembers) {
  return { value: state.value, ...outlineContext(state.context, count) };
}

/** The facts that the model has of what the API shows; all of them must be shown. */
function outlineLife(state: ProcessState, count: CountMembers): object {
  const { starting, exit, ...view } = outlineView(toLifeView(state), count) as Record<string, unknown>;
  return {
    ...pick(view, ['status', 'attempt', 'restarts', 'reason', 'leftovers', 'survivors']),
    ...(starting !== undefined && { queued: !starting }),
    ...(state.status === 'done' && { exit, receipt: view['receipt'] }),
  };
}

function outlineView(view: object, count: CountMembers): Record<string, unknown> {
  const facts: Record<string, unknown> = { ...view };
  for (const name of ['leftovers', 'survivors']) {
    if (name in facts) facts[name] = count(facts[name] as readonly TreeMember[]);
  }
  if ('reason' in facts)
    facts['reason'] = outlineReason(facts['reason'] as ProcessState['context']['reason']);
  if ('receipt' in facts)
    facts['receipt'] = outlineReceipt(facts['receipt'] as ProcessState['context']['receipt'], count);
  return facts;
}

function pick(facts: Record<string, unknown>, names: readonly string[]): object {
  return Object.fromEntries(names.filter((name) => name in facts).map((name) => [name, facts[name]]));
}

function expectSame(actual: object, expected: object): void {
  const values = new Map(Object.entries(actual));
  const differences = Object.entries(expected)
    .filter(([key, value]) => !isDeepStrictEqual(values.get(key), value))
    .map(
      ([key, value]) => `${key}: expected ${JSON.stringify(value)}, is ${JSON.stringify(values.get(key))}`,
    );
  if (differences.length > 0) throw new Error(differences.join('\n'));
}

interface Seen {
  /** Types of the events that the actor of the process has dealt with. */
  readonly heard: string[];
  readonly state: ProcessState;
}

/** A supervisor with one slot that is taken, and the process that waits for it. */
function openScene({ row, on, inspect, chart }: Walk): { scene: Scene; seen: Seen; close(): Promise<void> } {
  const clock = createVirtualClock();
  const seen: Seen = {
    heard: [],
    get state() {
      if (actor === null) throw new Error('Its actor was never seen.');
      return actor.getSnapshot() as ProcessState;
    },
  };
  const write = (order: string) => scene.process.write(`${order}\n`);
  const stage =
    on === 'scripts'
      ? { ...createScriptedWorld(row, clock), command: ['scripted'] as const, env: {} }
      : createRealWorld(row, { write, trees: () => ground.trees });

  const blocker = createScriptedBackend();
  const backend: Backend = {
    ...stage.gate.backend,
    run: (port) =>
      port.request.env['BLOCKER'] === undefined ? stage.gate.backend.run(port) : blocker.run(port),
  };
  const { runtime, ground } = openRuntime({ clock, backend, maxParallelTools: 1, stateDirectory: false });
  const limits = toSpec(row);
  startProcess(parseSpec({ command: ['blocker'], env: { BLOCKER: '1' }, timeout: 0 }), { runtime, ground });

  let actor: AnyActorRef | null = null;
  runtime.admission.actor.system.inspect({
    next: (inspected) => {
      inspect?.(inspected);
      if (inspected.type === '@xstate.actor') actor ??= inspected.actorRef as AnyActorRef;
      if (inspected.type === '@xstate.snapshot' && inspected.actorRef === actor)
        seen.heard.push(inspected.event.type);
    },
  });
  const world = chart === undefined ? runtime.world : withChart(runtime, chart);
  const process = startProcess(
    parseSpec({
      command: [...stage.command] as [string, ...string[]],
      env: stage.env,
      stdin: 'pipe',
      ...limits,
    }),
    { runtime: { ...runtime, world }, ground },
  );
  const scene: Scene = {
    process,
    world: stage.world,
    gate: stage.gate,
    clock,
    freeSlot: () => blocker.lastRun.exit(),
    untilHeard: (type) => {
      const before = seen.heard.length;
      for (let steps = 0; steps < 400; steps += 1) {
        if (seen.heard.slice(before).includes(type)) return;
        clock.advance(100);
      }
    },
  };
  return { scene, seen, close: async () => void (await stage.world.dispose()) };
}

function withChart({ world }: Runtime, chart: typeof processMachine): Runtime['world'] {
  return { ...world, machine: chart.provide(world.machine.implementations as never) };
}

function toSpec({ input }: ModelRow) {
  const { limits, restart } = input;
  return {
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
