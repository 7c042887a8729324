import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createReachableSupervisor } from '../../src/control/reachable-supervisor.ts';
import { createDirectoryStore } from '../../src/live/directory-store.ts';
import type { ProcessView } from '../../src/process/process-view.ts';
import { openStateDirectory } from '../../src/state-directory/open-state-directory.ts';
import { createFileJournal } from '../../src/store/file-journal.ts';
import { endedRecord, writeRecord } from '../state-directory/records.ts';
import { tempDir, waitUntil } from '../support/os.ts';

/** Opens a store of an empty state directory. `atList` is called with each list before the store gets it. */
function openStore({
  atList = async () => {},
}: {
  atList?(views: readonly ProcessView[]): Promise<unknown>;
} = {}) {
  const place = tempDir();
  const directory = openStateDirectory({ directory: place.path });
  const store = createDirectoryStore({
    ...directory,
    list: async (options) => {
      const listed = await directory.list(options);
      await atList(listed.processes.map(({ view }) => view));
      return listed;
    },
  });
  const stop = store.subscribe(() => {});
  return {
    ...{ store, path: place.path },
    state: () => store.getSnapshot(),
    [Symbol.dispose]: () => {
      stop();
      directory.close();
      place.remove();
    },
  };
}

test('the store shows live processes with what happened to them', async () => {
  using stage = openStore();
  await using supervisor = createReachableSupervisor({ stateDirectory: stage.path });
  const handle = supervisor.start({ command: ['sleep', '60'], label: 'web', background: true });
  await waitUntil(() => stage.state().timelines[handle.id]?.length === 2);

  expect(stage.state().timelines[handle.id]?.map(({ type }) => type)).toEqual([
    'process.created',
    'process.started',
  ]);
  await handle.kill();
  await waitUntil(() => stage.state().timelines[handle.id]?.at(-1)?.type === 'process.ended');
  expect(stage.state().processes[0]?.status).toBe('killed');
});

test('a view is no older than its timeline if the process ends between two answers', async () => {
  using stage = openStore({
    atList: async (views) => {
      if (views.length === 2 && views.every(({ status }) => status === 'running')) await first?.kill();
    },
  });
  await using supervisor = createReachableSupervisor({ stateDirectory: stage.path });
  const [first, second] = ['60', '61'].map((time) => supervisor.start({ command: ['sleep', time] }));
  const lastOf = (id: string) => stage.state().timelines[id]?.at(-1)?.type;

  await waitUntil(() => lastOf(first?.id ?? '') === 'process.ended');

  expect(stage.state().processes.map(({ id, status }) => [id, status, lastOf(id)])).toEqual([
    [second?.id, 'running', 'process.started'],
    [first?.id, 'killed', 'process.ended'],
  ]);
});

test('the store shows processes of supervisors that are gone, and warns of damaged records', async () => {
  using stage = openStore();
  writeRecord(stage.path, endedRecord('tool_ccccccc3'), 'tool_ccccccc3');
  writeFileSync(join(stage.path, 'processes', 'tool_bbbbbbb2.json'), '{');

  await waitUntil(() => stage.state().processes.length === 1);

  expect(stage.store.warnings).toEqual([expect.stringContaining('tool_bbbbbbb2')]);
});

test('the store shows saved conversations, and says which are open', async () => {
  using stage = openStore();
  mkdirSync(join(stage.path, 'conversations'));
  const path = join(stage.path, 'conversations', 'assistant_22222222.jsonl');
  const journal = createFileJournal(path);
  const message = { role: 'user', text: 'hello' };
  journal.append({ at: 5, type: 'delivered', ids: ['message_1'], messages: [message] });
  const shown = () => stage.state().conversations['assistant_22222222'];
  await waitUntil(() => shown()?.transcript.length === 1);

  expect(shown()).toMatchObject({ status: 'thinking', transcript: [{ ...message, at: 5 }] });
  const [first] = shown()?.transcript ?? [];
  journal.append({ at: 6, type: 'recorded', message: { role: 'assistant', text: 'hi', toolCalls: [] } });
  await waitUntil(() => shown()?.status === 'idle');
  expect(shown()?.transcript[0]).toBe(first);
  journal.close();
  await waitUntil(() => shown()?.status === 'done');
  appendFileSync(path, '{"type":"recorded","mess');
  await waitUntil(() => shown() !== undefined);
  expect(shown()?.transcript).toHaveLength(2);
});
