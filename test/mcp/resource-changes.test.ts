import { expect, onTestFinished, test, vi } from 'vitest';
import { observeChanges, type ResourceChange } from '../../src/mcp/resource-changes.ts';
import { createVirtualHarness } from '../support/virtual.ts';

/** Observes the processes of `agent`, whose changes are told at once and whose output is looked at every 10 ms. */
function observe() {
  const rig = createVirtualHarness({ script: (run) => run.comeUp() });
  const { supervisor } = rig;
  const changes: ResourceChange[] = [];
  const watching = observeChanges({ supervisor, owner: 'agent' }, { quiet: 1, growth: 10 }).subscribe(
    (change) => changes.push(change),
  );
  onTestFinished(async () => {
    watching.unsubscribe();
    await rig[Symbol.asyncDispose]();
  });
  const start = (owner = 'agent') => supervisor.start({ command: 'serve', owner });
  /** Returns the changes that were told since the last call, after at least one. */
  const next = async () => {
    await vi.waitFor(() => expect(changes.length).toBeGreaterThan(0));
    return changes.splice(0);
  };
  return { ...rig, start, changes, next };
}

test('a start and an end change the list, what lies between does not', async () => {
  const { start, next, run } = observe();
  const handle = start();
  const { id } = handle;

  expect(await next()).toEqual([{ type: 'list' }, { type: 'content', uri: `process://${id}` }]);
  handle.background();
  expect(await next()).toEqual([{ type: 'content', uri: `process://${id}` }]);
  run(0).exit();
  expect(await next()).toEqual([
    { type: 'list' },
    { type: 'content', uri: `process://${id}` },
    { type: 'content', uri: `process://${id}/log` },
  ]);
});

test('output changes the log, once for each look', async () => {
  const { start, next, run } = observe();
  const { id } = start();
  await next();

  run(0).print('made\n');

  expect(await next()).toEqual([{ type: 'content', uri: `process://${id}/log` }]);
});

test('processes of another owner change nothing', async () => {
  const { start, changes, next } = observe();
  start('other');
  const { id } = start();

  expect(await next()).toContainEqual({ type: 'content', uri: `process://${id}` });
  expect(changes).toEqual([]);
});
