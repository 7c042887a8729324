import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openStateDirectory } from '../../src/control/open-state-directory.ts';
import { tempDir, waitUntil } from '../fixtures/os.ts';
import { connectionCount, openControlStage } from './arrange.ts';
import { endedRecord, writeRecord } from './records.ts';

test('what is waited for from outside is told once it holds', async () => {
  await using stage = await openControlStage();
  const { state, supervisor } = stage;
  const cat = supervisor.start({ command: ['cat'], background: true, stdin: 'pipe' });
  const waiting = state.waitFor(cat.id, { pattern: 'tea (\\d)', text: 'milk', mode: 'all' });

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

test('a wait that is given up leaves nothing behind', async () => {
  await using stage = await openControlStage();
  const giveUp = new AbortController();
  const waiting = stage.state.waitFor(stage.idle.id, { port: 9 }, { signal: giveUp.signal });
  await waitUntil(() => connectionCount(stage.socketPath) > 0);

  giveUp.abort(new Error('enough'));

  await expect(waiting).rejects.toThrow('enough');
  expect((await stage.state.show(stage.idle.id)).view.status).toBe('backgrounded');
});

test('of one that ended without a supervisor the log is searched', async () => {
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
