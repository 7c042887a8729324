import { isDeepStrictEqual } from 'node:util';
import { createActor, fromCallback, type InspectionEvent } from 'xstate';
import type { Lane } from '../../machines/supervisor/context.ts';
import type { ProcessRecord } from '../../src/process/process-record.ts';
import type { SupervisedProcess } from '../../src/process/supervised-process.ts';
import { createMemoryRecordStore } from '../../src/store/memory-record-store.ts';
import type { RecordStore } from '../../src/store/record-store.ts';
import { parseSpec } from '../../src/supervisor/plan-process.ts';
import { recover } from '../../src/supervisor/recover.ts';
import { shutDown } from '../../src/supervisor/shut-down.ts';
import type { ShutdownReport } from '../../src/supervisor/shutdown-report.ts';
import { startProcess } from '../../src/supervisor/start-process.ts';
import { describePath } from '../../src/testing/paths/generate-paths.ts';
import { createScriptedBackend, type ScriptedBackend } from '../../src/testing/scripted-backend.ts';
import { createVirtualClock, type VirtualClock } from '../../src/testing/virtual-clock.ts';
import { eventually } from './eventually.ts';
import { leaveBehind } from './leave-behind.ts';
import { openRuntime } from './open-runtime.ts';
import {
  outlineSupervisor,
  type SupervisorModelEvent,
  type SupervisorPath,
  type SupervisorState,
  supervisorInput,
  supervisorModel,
} from './supervisor-model.ts';

interface Scene extends ReturnType<typeof openRuntime> {
  readonly clock: VirtualClock;
  readonly backend: ScriptedBackend;
  readonly processes: SupervisedProcess[];
  readonly refusals: string[];
  /** Records of earlier supervisors. */
  readonly store: RecordStore<ProcessRecord>;
  report: ShutdownReport | null;
}

type Driver = {
  readonly [Type in SupervisorModelEvent['type']]: (
    scene: Scene,
    event: Extract<SupervisorModelEvent, { type: Type }>,
  ) => void;
};

/** Actions that bring an event about, never by sending it. */
const supervisorDriver: Driver = {
  'process.requested': (scene, { lane, background }) => {
    try {
      const spec = parseSpec({
        command: ['scripted'],
        kind: lane,
        background,
        timeout: 0,
        maxExecutionTime: 0,
      });
      scene.processes.push(startProcess(spec, scene));
    } catch (error) {
      scene.refusals.push((error as { code: string }).code);
    }
  },
  'process.backgrounded': (scene, { lane }) => {
    holders(scene, lane)[0]?.handle.background();
  },
  'process.adopted': (scene) => {
    const { runtime, deps, processes } = scene;
    leaveBehind(scene.store);
    recover(runtime, deps);
    processes.push(...[...runtime.registry.live.values()].filter((each) => !processes.includes(each)));
  },
  'process.released': (scene, { slot: { place, lane } }) => {
    const [process] = place === 'foreground' ? holders(scene, lane) : inBackground(scene);
    const run = scene.backend.runs.find(({ request }) => request.id === process?.id);
    run?.exit();
    if (process?.status === 'stopping') run?.tell({ type: 'tree.gone', ended: [] });
  },
  'process.withdrawn': (scene, { lane }) => {
    const queued = scene.processes.find(({ status, plan }) => status === 'pending' && plan.kind === lane);
    void queued?.handle.kill();
  },
  'process.promoted': ({ processes }, { lane }) => {
    const queued = processes.find(({ status, plan }) => status === 'pending' && plan.kind === lane);
    queued?.handle.background();
  },
  'supervisor.stop': (scene) => {
    void shutDown(scene.runtime, scene.deps).then((report) => {
      scene.report = report;
    });
  },
  'deadline.shutdown': ({ clock }) => clock.advance(60_000),
  'xstate.error.actor.child': ({ runtime }, { error }) => {
    const breaking = fromCallback(() => {
      throw error;
    });
    createActor(breaking, { id: 'child', parent: runtime.admission.actor }).start();
  },
};

/** Processes that hold a foreground slot of the lane. */
function holders({ processes, runtime }: Scene, lane: Lane): readonly SupervisedProcess[] {
  const background = runtime.admission.backgroundIds();
  return processes.filter(
    (each) =>
      !each.life.hasEnded &&
      each.status !== 'pending' &&
      each.plan.kind === lane &&
      !background.includes(each.id),
  );
}

function inBackground({ processes, runtime }: Scene): readonly SupervisedProcess[] {
  const ids = runtime.admission.backgroundIds();
  return processes.filter(({ id }) => ids.includes(id));
}

type Withdrawal = Extract<SupervisorModelEvent, { type: 'process.withdrawn' }>;

export interface SupervisorWalk {
  readonly path: SupervisorPath;
  readonly inspect?: (event: InspectionEvent) => void;
  /** Another model, whose difference must be detected. */
  readonly model?: typeof supervisorModel;
}

/** Walks a path on scripts. Returns `null` when model and API agreed at each step; otherwise the difference. */
export async function walkSupervisor(walk: SupervisorWalk): Promise<string | null> {
  const scene = openScene();
  const heard: string[] = [];
  const { actor } = scene.runtime.admission;
  actor.system.inspect({
    next: (inspected) => {
      walk.inspect?.(inspected);
      if (inspected.type !== '@xstate.snapshot' || inspected.actorRef !== actor) return;
      // Every actor reports that it is done; the chart does not listen.
      if (!inspected.event.type.startsWith('xstate.done.')) heard.push(inspected.event.type);
    },
  });
  const refusals: string[] = [];
  const model = createActor(
    (walk.model ?? supervisorModel).provide({
      actions: { refuse: (_, { refusal }) => void refusals.push(refusal) },
    }),
    { input: supervisorInput },
  ).start();

  // Unhandled, the error of a wrong model would end the test run.
  model.subscribe({ error: () => {} });

  const done: { event: SupervisorModelEvent }[] = [];
  try {
    for (const { event } of walk.path) {
      done.push({ event });
      // A shutdown withdraws queued processes by itself.
      if (heard.length < done.length) supervisorDriver[event.type](scene, event as never);
      model.send(event as Parameters<typeof model.send>[0]);
      await eventually(() => heard.length >= done.length, {
        what: `it hears ${event.type}`,
        on: 'scripts',
      });
      if (heard.length > done.length) continue;
      expectSame(actor.getSnapshot(), model.getSnapshot());
      expectEqual('refusals', scene.refusals, refusals);
      expectEqual('statuses', countStatuses(scene), expectedStatuses(model.getSnapshot()));
    }
    for (const event of stillToWithdraw(model.getSnapshot())) {
      done.push({ event });
      model.send(event);
    }
    expectSame(actor.getSnapshot(), model.getSnapshot());
    expectEqual('events', heard.toSorted(), done.map(({ event }) => event.type).toSorted());
    if (model.getSnapshot().status === 'done') await expectReport(scene, model.getSnapshot());
    return null;
  } catch (error) {
    return `${describePath(done)}\n${String(error)}`;
  }
}

function openScene(): Scene {
  const clock = createVirtualClock();
  const backend = createScriptedBackend(
    (run) => {
      run.obeys = () => false;
      if (run.isAdopted) run.beAdopted();
      else run.comeUp();
    },
    { durable: true },
  );
  const store = createMemoryRecordStore<ProcessRecord>();
  const { shutdownGraceMs, ...limits } = supervisorInput;
  const opened = openRuntime({
    ...limits,
    shutdownGrace: shutdownGraceMs,
    clock,
    backend,
    stateDirectory: false,
    records: store,
    maxBackgroundTime: 0,
    notifyAfterSilence: 0,
  });
  return { ...opened, clock, backend, processes: [], refusals: [], store, report: null };
}

function expectSame(actual: SupervisorState, expected: SupervisorState): void {
  expectEqual('status', actual.status, expected.status);
  expectEqual('state', actual.value, expected.value);
  expectEqual('context', outlineSupervisor(actual.context), outlineSupervisor(expected.context));
}

function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: expected ${JSON.stringify(expected)}, is ${JSON.stringify(actual)}`);
}

/** Number of processes that the API shows in each status that holds or awaits a slot. */
function countStatuses({ processes }: Scene) {
  const count = (status: string) => processes.filter((each) => each.view().status === status).length;
  return {
    pending: count('pending'),
    running: count('running'),
    backgrounded: count('backgrounded'),
    stopping: count('stopping'),
  };
}

function expectedStatuses({ value, context }: SupervisorState) {
  const { foreground, background, queue } = context;
  const up = foreground.tool + foreground.agent;
  const isOpen = value === 'open';
  return {
    pending: queue.tool.length + queue.agent.length,
    running: isOpen ? up : 0,
    backgrounded: isOpen ? background : 0,
    stopping: isOpen ? 0 : up + background,
  };
}

/** A path may end between two of the withdrawals that a shutdown makes at once. */
function stillToWithdraw({ value, context }: SupervisorState): readonly Withdrawal[] {
  if (value !== 'closing') return [];
  const lanes = ['tool', 'agent'] as const;
  return lanes.flatMap((lane) =>
    context.queue[lane].map((id) => ({ type: 'process.withdrawn', id, lane }) as const),
  );
}

/** Slots still held at the close are named as survivors. */
async function expectReport(scene: Scene, { context }: SupervisorState): Promise<void> {
  await eventually(() => scene.report !== null, { what: 'the shutdown reports', on: 'scripts' });
  const { foreground, background } = context;
  expectEqual('survivors', scene.report?.survivors.length, foreground.tool + foreground.agent + background);
}
