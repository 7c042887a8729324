import { isDeepStrictEqual } from 'node:util';
import { createActor, type InspectionEvent } from 'xstate';
import type { watchMachine } from '../../machines/watch/machine.ts';
import type { SupervisedProcess } from '../../src/process/supervised-process.ts';
import { parseSpec } from '../../src/supervisor/plan-process.ts';
import type { Runtime } from '../../src/supervisor/runtime.ts';
import { startProcess } from '../../src/supervisor/start-process.ts';
import { describePath } from '../../src/testing/paths/generate-paths.ts';
import { createScriptedBackend, type ScriptedRun } from '../../src/testing/scripted-backend.ts';
import { createVirtualClock, type VirtualClock } from '../../src/testing/virtual-clock.ts';
import type { WatchOptions } from '../../src/watches/watch.ts';
import { eventually } from './eventually.ts';
import { openRuntime } from './open-runtime.ts';
import {
  CHANGED_AGO_MS,
  QUIET_MS,
  type WatchModelEvent,
  type WatchState,
  type WatchWay,
  WINDOW_MS,
  watchModel,
} from './watch-model.ts';

const OWNER = 'the owner';

/** Time for which output is gathered before it is searched. */
const SEARCH_MS = 50;
/** Minimum time between two looks at a screen. */
const LOOK_MS = 330;
const MATCH = 'match';
const holding = { watching: { lines: 'throttling' } } as const;

interface Scene {
  readonly runtime: Runtime;
  readonly clock: VirtualClock;
  readonly process: SupervisedProcess;
  readonly run: ScriptedRun;
  /** Share of a deadline's time that has passed since it was armed. */
  passedMs: number;
  /** Gate that delays reports of the screen until it is open. */
  view: PromiseWithResolvers<void>;
  words: number;
}

type Deed = (scene: Scene, event: WatchModelEvent, next: WatchModelEvent | undefined) => Promise<void> | void;

/** Actions that bring an event about, never by sending it. */
const watchDriver: { readonly [Type in WatchModelEvent['type']]: Deed } = {
  'change.seen': (scene, event) => {
    // The searched text was printed before the look.
    if (event.type !== 'change.seen' || event.agoMs > 0) return;
    say(scene, 'something else');
    // A screen is not looked at twice in a row.
    if (scene.process.view().terminal?.type === 'terminal') scene.clock.advance(LOOK_MS);
  },
  'stillness.confirmed': () => {},
  'lines.matched': (scene, event) => {
    if (event.type !== 'lines.matched') return;
    for (let line = 0; line < event.count; line += 1) say(scene, MATCH);
    const { runtime, process } = scene;
    const isHolding = runtime.watches.actorOf(process.id, OWNER)?.getSnapshot().matches(holding) ?? false;
    scene.clock.advance(SEARCH_MS);
    scene.passedMs = isHolding ? scene.passedMs + SEARCH_MS : 0;
  },
  'search.failed': (scene) => {
    scene.run.print(`${'a'.repeat(40)}!\n`);
    scene.clock.advance(SEARCH_MS);
  },
  'process.ended': async ({ run, process }) => {
    run.exit();
    await process.ended;
  },
  'process.released': ({ runtime, process }) => runtime.watches.on({ type: 'process.detached' }, process),
  'watch.cancel': ({ runtime, process }) => void runtime.watches.unwatch(process, OWNER),
  'watch.replace': ({ runtime, process }) =>
    void runtime.watches.watch(process, { owner: OWNER, quiet: '1d' }),
  'deadline.quiet': async (scene, _, next) => {
    const leftMs = QUIET_MS - scene.passedMs;
    scene.passedMs = 0;
    if (next?.type === 'change.seen') {
      scene.clock.advance(leftMs - CHANGED_AGO_MS);
      say(scene, 'something else');
      await settle();
      scene.passedMs = CHANGED_AGO_MS;
    }
    const isAnswered = next?.type === 'change.seen' || next?.type === 'stillness.confirmed';
    if (!isAnswered) scene.view = Promise.withResolvers();
    scene.clock.advance(next?.type === 'change.seen' ? CHANGED_AGO_MS : leftMs);
  },
  'deadline.window': (scene) => {
    scene.clock.advance(WINDOW_MS - scene.passedMs);
    scene.passedMs = 0;
  },
};

function say(scene: Scene, text: string): void {
  scene.words += 1;
  scene.run.screen = [`${text} ${scene.words}`];
  scene.run.print(`${text} ${scene.words}\n`);
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

export interface WatchWalk extends WatchWay {
  readonly inspect?: (event: InspectionEvent) => void;
  /** Another model, whose difference must be detected. */
  readonly model?: typeof watchModel;
}

/** Walks a path on scripts. Returns `null` when model and API agreed at each step; otherwise the difference. */
export async function walkWatch({
  input,
  path,
  on,
  inspect,
  model = watchModel,
}: WatchWalk): Promise<string | null> {
  const scene = await openScene(on);
  const { runtime, process, clock } = scene;
  const told: string[] = [];
  runtime.mailboxes.newsOf(OWNER).subscribe((news) => {
    told.push(news.type === 'watch.matched' ? `${news.type} ${news.matches}` : news.type);
  });
  const idle = clock.pending;
  const options: WatchOptions =
    input.wants.type === 'quiet' ? { quiet: QUIET_MS } : { pattern: `^(a+)+$|${MATCH}` };
  runtime.watches.watch(process, { owner: OWNER, ...options });
  const actor = runtime.watches.actorOf(process.id, OWNER);
  if (actor === undefined) return 'it does not watch';
  const heard: string[] = [];
  actor.system.inspect({
    next: (inspected) => {
      inspect?.(inspected);
      if (inspected.type !== '@xstate.snapshot' || inspected.actorRef !== actor) return;
      if (!inspected.event.type.startsWith('xstate.')) heard.push(inspected.event.type);
    },
  });
  // An inspector sees later events only, so a twin tells how the watch began.
  if (inspect !== undefined) createActor(watchModel, { input, inspect }).start().stop();
  const expected = createExpectation(model);
  const twin = createActor(expected.noted, { input }).start();
  twin.subscribe({ error: () => {} });
  await settle();

  const done: { event: WatchModelEvent }[] = [];
  try {
    for (const [index, { event }] of path.entries()) {
      done.push({ event });
      // The answer to a look comes by itself.
      if (heard.length < done.length) await watchDriver[event.type](scene, event, path[index + 1]?.event);
      if (event.type.startsWith('deadline.')) expected.alarms.delete(event.type.replace('deadline.', ''));
      twin.send(event);
      await eventually(() => heard.length >= done.length, { what: `it hears ${event.type}`, on: 'scripts' });
      if (heard.length > done.length) continue;
      expectSame(actor.getSnapshot(), twin.getSnapshot());
      expectEqual('news', told, expected.told);
      if (event.type !== 'process.ended' && event.type !== 'watch.replace')
        expectEqual('alarms', clock.pending - idle, expected.alarms.size);
      const isWatched = runtime.watches.actorOf(process.id, OWNER) === actor;
      expectEqual('is watched', isWatched, twin.getSnapshot().status === 'active');
    }
    scene.view.resolve();
    await settle();
    const events = done.map((each) => each.event.type);
    expectEqual('events', heard, events);
    return null;
  } catch (error) {
    return `${on}: ${describePath(done)}\n${String(error)}`;
  } finally {
    runtime.watches.close();
  }
}

async function openScene(on: WatchWay['on']): Promise<Scene> {
  const clock = createVirtualClock();
  const backend = createScriptedBackend(undefined, { terminal: true });
  const { runtime, deps } = openRuntime({
    clock,
    backend,
    stateDirectory: false,
    maxBackgroundTime: 0,
    notifyAfterSilence: 0,
    handleSignals: false,
  });
  const interactive = on === 'a terminal';
  const spec = parseSpec({ command: ['scripted'], background: true, interactive });
  const process = startProcess(spec, { runtime, deps });
  await settle();
  const view = Promise.withResolvers<void>();
  view.resolve();
  const scene: Scene = { runtime, clock, process, run: backend.lastRun, passedMs: 0, view, words: 0 };
  const { terminal } = process.input;
  const capture = terminal.capture.bind(terminal);
  terminal.capture = async (options) => {
    await scene.view.promise;
    return capture(options);
  };
  return scene;
}

/** Model whose effects only record. */
function createExpectation(model: typeof watchModel) {
  const told: string[] = [];
  const alarms = new Set<string>();
  const noted: typeof watchMachine = model.provide({
    actions: {
      notifyQuiet: () => void told.push('watch.quiet'),
      notifyMatches: (_, { count }) => void told.push(`watch.matched ${count}`),
      notifyFailure: () => void told.push('watch.failed'),
      armDeadline: (_, { deadline }) => void alarms.add(deadline),
      disarmDeadline: (_, { deadline }) => void alarms.delete(deadline),
    },
  });
  return { told, alarms, noted };
}

function expectSame(actual: WatchState, expected: WatchState): void {
  expectEqual('status', actual.status, expected.status);
  expectEqual('state', actual.value, expected.value);
  const { id: _, ...context } = actual.context;
  const { id: __, ...wanted } = expected.context;
  expectEqual('context', context, wanted);
}

function expectEqual(what: string, actual: unknown, expected: unknown): void {
  if (isDeepStrictEqual(actual, expected)) return;
  throw new Error(`${what}: expected ${JSON.stringify(expected)}, is ${JSON.stringify(actual)}`);
}
