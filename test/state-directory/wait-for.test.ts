import { mkdirSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { LONG } from '../../src/control/protocol.ts';
import { createReachableSupervisor } from '../../src/control/reachable-supervisor.ts';
import { openStateDirectory } from '../../src/state-directory/open-state-directory.ts';
import { connectionCount, openControlStage, untilListening } from '../control/arrange.ts';
import { endAll, tempDir, waitUntil } from '../support/os.ts';
import { startPuppetHost } from '../support/puppet-host.ts';
import { endedRecord, writeRecord } from './records.ts';

test('a wait from outside resolves once its condition holds', async () => {
  await using stage = await openControlStage();
  const { state, supervisor } = stage;
  const cat = supervisor.start({ command: ['cat'], background: true, stdin: 'pipe' });
  const waiting = state.waitFor(cat.id, { pattern: 'tea (\\d)', text: 'milk', mode: 'all' });
  // Its answer comes after the wait has begun.
  await state.show(cat.id);

  await cat.write('milk\nte');
  await cat.write('a 4\n');
  const waited = await waiting;

  expect(waited).toMatchObject({
    end: { type: 'met' },
    met: ['text', 'pattern'],
    matchedLine: 'tea 4',
    process: { id: cat.id, status: 'backgrounded' },
  });
});

test('a met condition stays met under another supervisor', { timeout: 60_000 }, async () => {
  await using stage = await openTakeover();
  const { state, id } = stage;
  const order = { text: 'tea', file: 'made', mode: 'all' } as const;
  const waiting = state.waitFor(id, { ...order, portFree: 9 });
  await waitUntil(() => connectionCount(stage.socketPath) > 0);
  writeFileSync(stage.place.file('made'), '');
  const alone = await state.waitFor(id, { file: 'made' });
  // The wait above polls at the same interval.
  await state.waitFor(id, { quiet: '500ms' });
  unlinkSync(stage.place.file('made'));

  await stage.takeOver();
  writeFileSync(stage.place.file('go'), '');
  const waited = await waiting;

  expect(alone.met).toEqual(['file']);
  expect(waited).toMatchObject({ end: { type: 'met' }, missing: [], matchedLine: 'tea 2' });
  expect(waited.met.at(-1)).toBe('text');
});

test('now is when it was asked, also under another supervisor', { timeout: 60_000 }, async () => {
  await using stage = await openTakeover({
    command: 'echo "tea 1"; until [ -e go ]; do sleep 0.1; done; echo "tea 2"; sleep 1000',
  });
  const { state, id } = stage;
  await state.waitFor(id, { text: 'tea 1' });
  let isOver = false;
  const waiting = state.waitFor(id, { text: 'tea', from: 'now' }).finally(() => {
    isOver = true;
  });
  await state.waitFor(id, { quiet: '300ms' });
  const early = isOver;

  await stage.host.kill();
  writeFileSync(stage.place.file('go'), '');
  await waitUntil(async () => (await state.read(id)).text.includes('tea 2'));
  await stage.takeOver();

  expect(early).toBe(false);
  expect(await waiting).toMatchObject({ end: { type: 'met' }, matchedLine: 'tea 2' });
});

test('waits are all answered where a connection takes fewer at once', async () => {
  await using stage = await openControlStage();
  const waits = Array.from({ length: 400 }, () => stage.state.wait(stage.idle.id));
  await stage.state.show(stage.idle.id);
  // By then each wait has asked whether the supervisor lives.
  await setTimeout((LONG.pulseMs ?? 0) + 500);

  await stage.idle.kill();
  const ends = await Promise.all(waits);

  expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(['killed']));
});

test('a wait that is given up leaves nothing behind', async () => {
  await using stage = await openControlStage();
  const giveUp = new AbortController();
  const waiting = stage.state.waitFor(stage.idle.id, { port: 9 }, { signal: giveUp.signal });
  await waitUntil(() => connectionCount(stage.socketPath) > 0);

  giveUp.abort(new Error('enough'));

  await expect(waiting).rejects.toThrow('enough');
  expect((await stage.state.show(stage.idle.id)).view.status).toBe('backgrounded');
});

test('a wait searches all of a long log without a supervisor', async () => {
  using place = tempDir();
  const output = { bytes: 9, lines: 2, droppedBytes: 0, lastOutputAt: 1, logFile: 'x', degraded: null };
  writeRecord(place.path, endedRecord('tool_over2222', { output }), 'tool_over2222');
  mkdirSync(join(place.path, 'processes'), { recursive: true });
  const log = `tea\n${'milk and sugar\n'.repeat(200_000)}`;
  writeFileSync(join(place.path, 'processes', 'tool_over2222.log'), log);
  const state = openStateDirectory({ directory: place.path });

  const found = await state.waitFor('tool_over2222', { text: 'tea' });
  const later = await state.waitFor('tool_over2222', { text: 'tea', from: 4 });

  expect(found).toMatchObject({ met: ['text'], matchedLine: 'tea' });
  expect(later).toMatchObject({ end: { type: 'ended' }, matchedLine: null });
});

test('a wait searches the log of a process that ended without a supervisor', async () => {
  using place = tempDir();
  const output = { bytes: 9, lines: 2, droppedBytes: 0, lastOutputAt: 1, logFile: 'x', degraded: null };
  writeRecord(place.path, endedRecord('tool_over2222', { output }), 'tool_over2222');
  mkdirSync(join(place.path, 'processes'), { recursive: true });
  writeFileSync(join(place.path, 'processes', 'tool_over2222.log'), 'milk\ntea.\n');
  const state = openStateDirectory({ directory: place.path });

  const found = await state.waitFor('tool_over2222', { text: 'tea.' });
  const missing = await state.waitFor('tool_over2222', { text: 'teax', port: 80 });
  const ended = await state.waitFor('tool_over2222', {});

  expect(found).toMatchObject({ end: { type: 'met' }, met: ['text'], matchedLine: 'tea.' });
  expect(missing).toMatchObject({ end: { type: 'ended' }, missing: ['text', 'port'], matchedLine: null });
  expect(ended).toMatchObject({ end: { type: 'met' }, met: ['exit'] });
});

/** A persistent process whose supervisor can be killed, and another one that takes it over. */
async function openTakeover({
  command = 'until [ -e go ]; do sleep 0.1; done; echo "tea 2"; sleep 1000',
} = {}) {
  const place = tempDir();
  const directory = place.file('state');
  const host = await startPuppetHost(place.path);
  const { id } = await host.ask('start', { command, background: true, lifetime: 'persistent' });
  const socketPath = await untilListening(directory, host.supervisorId);
  const state = openStateDirectory({ directory });
  let next: ReturnType<typeof createReachableSupervisor> | null = null;
  return {
    place,
    host,
    id,
    state,
    socketPath,
    takeOver: async () => {
      await host.kill();
      next = createReachableSupervisor({ cwd: place.path, stateDirectory: directory });
      await untilListening(directory, next.id);
    },
    [Symbol.asyncDispose]: async () => {
      state.close();
      await host.kill();
      await next?.kill(id);
      await next?.shutdown();
      await endAll([], `/${id}/`);
      place.remove();
    },
  };
}
