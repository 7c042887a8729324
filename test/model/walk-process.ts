import { isDeepStrictEqual } from 'node:util';
import { createActor } from 'xstate';
import type { TreeMember } from '../../machines/process/context.ts';
import { isFinal, toLifeView, toStatus } from '../../machines/process/view.ts';
import { describePath } from '../../src/testing/paths/generate-paths.ts';
import { eventually } from './eventually.ts';
import { processDriver, type Scene } from './process-driver.ts';
import {
  type CountMembers,
  type ModelEvent,
  outlineContext,
  outlineReason,
  outlineReceipt,
  type ProcessPath,
  type ProcessState,
  processModel,
} from './process-model.ts';
import { openStage, type StageOptions } from './process-stage.ts';

export interface Walk extends StageOptions {
  readonly path: ProcessPath;
}

/** Walks a path. Returns `null` when model, API and operating system agreed at each step; otherwise the difference. */
export async function walkProcess(walk: Walk): Promise<string | null> {
  const stage = openStage(walk);
  const { scene, seen } = stage;
  const model = createActor(processModel, { input: walk.row.input });
  const count: CountMembers = ({ length }) => (walk.on === 'scripts' ? length : Math.min(length, 1));
  const announced: string[] = [];
  model.on('*', ({ type }) => {
    if (announcements.has(type)) announced.push(type);
  });
  model.start();

  const done: { event: ModelEvent }[] = [];
  try {
    if (walk.row.before === null) compare();
    else await relive(walk.row.before);
    for (const { event } of walk.path) {
      done.push({ event });
      await take(event);
      model.send(event as Parameters<typeof model.send>[0]);
      compare();
      await scene.world.check(seen.state);
    }
    return null;
  } catch (error) {
    return `${walk.row.name}, on ${walk.on}: ${describePath(done)}\n${String(error)}`;
  } finally {
    await stage.close();
  }

  async function take(event: ModelEvent): Promise<void> {
    const before = seen.heard.length;
    await perform(scene, event);
    await eventually(() => seen.heard.slice(before).includes(event.type), {
      what: `it hears ${event.type}`,
      on: walk.on,
    });
  }

  async function relive(before: readonly ModelEvent[]): Promise<void> {
    for (const event of before) await take(event);
    await stage.succeed();
  }

  function compare() {
    const expected = { ...outlineState(model.getSnapshot(), count), announced };
    const actual = {
      ...outlineState(seen.state, count),
      announced: scene.process
        .timeline()
        .slice(seen.earlierEntries)
        .map(({ type }) => type)
        .filter((type) => announcements.has(type)),
    };
    expectSame(actual, expected);
    expectSame(outlineView(scene.process.view(), count), outlineLife(model.getSnapshot(), count));
  }
}

/** Announcements without signals: the model may come to the proof of a kill without the grace before it. */
const announcements = new Set<string>([
  'process.started',
  'process.adopted',
  'process.released',
  'process.backgrounded',
  'process.stopping',
  'process.survived',
  'process.restarting',
  'process.silent',
  'process.elapsed',
  'process.ended',
  'leftovers.ended',
]);

function perform(scene: Scene, event: ModelEvent): Promise<void> | void {
  return processDriver[event.type](scene, event as never);
}

function outlineState(state: ProcessState, count: CountMembers) {
  return { value: state.value, ...outlineContext(state.context, count) };
}

/** Facts of the model that the API shows; all of them must be shown. */
function outlineLife(state: ProcessState, count: CountMembers): object {
  const { starting, exit, ...view } = outlineView(toLifeView(state), count) as Record<string, unknown>;
  return {
    ...pick(view, ['status', 'attempt', 'restarts', 'reason', 'leftovers', 'survivors']),
    ...(starting !== undefined && { queued: !starting }),
    ...(isFinal(toStatus(state)) && { exit, receipt: view['receipt'] }),
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
