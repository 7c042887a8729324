import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toScreenText } from '../../src/spawn/terminal/screen-text.ts';
import { readTableScope } from '../../src/spawn/tree/table-scope.ts';
import { openStateDirectory } from '../../src/state-directory/open-state-directory.ts';
import { createScriptedBackend } from '../../src/testing/scripted-backend.ts';
import { openControlStage } from '../control/arrange.ts';
import { tempDir } from '../support/os.ts';
import { endedRecord, runningRecord, writeRecord } from './records.ts';

const terminal = {
  type: 'terminal',
  columns: 20,
  rows: 2,
  attach: ['troupe', 'attach', 'it'],
  because: 'A terminal.',
} as const;

const screen = {
  ...{ columns: 20, rows: 2, lines: ['bye', ''], scrollback: [], title: null },
  ...{ cursor: { column: 0, row: 1, isVisible: true }, isAlternate: false, isLast: true },
};

test('every request about a terminal does what its handle does', async () => {
  const backend = createScriptedBackend(undefined, { terminal: true });
  await using stage = await openControlStage({ backend });
  const { state, supervisor } = stage;
  const { id } = supervisor.start({ command: 'vim', background: true, interactive: true });
  const run = backend.lastRun;
  run.screen = ['moin'];

  const captured = await state.capture(id, { withDrawing: true });
  const resized = await state.resize(id, { columns: 120, rows: 40 });
  const typed = await state.sendKeys(id, { text: 'a b;', keys: ['C-c'], pressEnter: true });
  const pasted = await state.paste(id, 'one\ntwo');
  const written = await state.write(id, Buffer.from('\x1b[A'));
  const submitted = await state.writeSecret(id, { name: 'pin', value: '1234' });
  const unsubmitted = await state.writeSecret(id, { name: 'pin', value: '5678', pressEnter: false });
  run.exit();
  const last = await state.capture(id);

  expect(captured).toMatchObject({ ok: true, drawing: expect.stringContaining('moin') });
  expect([resized.ok, typed.ok, pasted.ok, written.ok]).toEqual([true, true, true, true]);
  expect(run.sizes.at(-1)).toEqual({ columns: 120, rows: 40 });
  expect([submitted, unsubmitted]).toMatchObject([{ bytesWritten: 5 }, { bytesWritten: 4 }]);
  expect(run.strokes.map(({ type }) => type)).toEqual(['text', 'character', 'key', 'key']);
  expect([run.pasted, run.input]).toEqual([['one\ntwo', '1234', '5678'], '\x1b[A']);
  expect(last).toMatchObject({ ok: true, screen: { isLast: true, columns: 120 } });
});

test('show refreshes the awaited input', async () => {
  const backend = createScriptedBackend();
  await using stage = await openControlStage({ backend });
  const { id } = stage.supervisor.start({ command: 'login', background: true, stdin: 'pipe' });
  backend.lastRun.print('Password: ');

  const { view } = await stage.state.show(id);

  expect(view.awaitsInput).toMatchObject({ kind: 'secret', prompt: 'Password:' });
});

test('a key that does not exist is an answer, and a text without end is refused', async () => {
  const backend = createScriptedBackend(undefined, { terminal: true });
  await using stage = await openControlStage({ backend });
  const { id } = stage.supervisor.start({ command: 'vim', background: true, interactive: true });

  const typed = await stage.state.sendKeys(id, { keys: ['Entr'] });
  const pasted = stage.state.paste(id, 'x'.repeat(2 * 1024 * 1024));

  expect(typed).toMatchObject({ ok: false, code: 'invalid' });
  await expect(pasted).rejects.toMatchObject({ code: 'invalid-option' });
});

test('the last screen outlives the supervisor', async () => {
  using place = tempDir();
  writeRecord(place.path, endedRecord('tool_seen2222', { terminal }), 'tool_seen2222');
  writeRecord(place.path, endedRecord('tool_swept222', { terminal }), 'tool_swept222');
  writeRecord(place.path, endedRecord('tool_plain222'), 'tool_plain222');
  writeFileSync(join(place.path, 'processes', 'tool_seen2222.screen'), toScreenText(screen));
  const state = openStateDirectory({ directory: place.path });

  const [seen, swept, plain] = await Promise.all(
    ['tool_seen2222', 'tool_swept222', 'tool_plain222'].map((id) => state.capture(id)),
  );
  const typed = await state.sendKeys('tool_seen2222', { keys: ['Enter'] });

  expect(seen).toEqual({ ok: true, screen, drawing: null, offset: 0 });
  expect(swept).toMatchObject({ ok: false, code: 'broken' });
  expect(plain).toMatchObject({ ok: false, code: 'noTerminal' });
  expect(typed).toMatchObject({ ok: false, code: 'notRunning' });
});

test('a terminal that lives without a supervisor is said to be out of reach', async () => {
  using place = tempDir();
  const scope = { ...readTableScope(), pidNamespace: 'pid:[1]' };
  const { view, ...rest } = runningRecord('tool_alive222', { scope });
  writeRecord(place.path, { ...rest, view: { ...view, terminal } }, 'tool_alive222');
  const state = openStateDirectory({ directory: place.path });

  await expect(state.capture('tool_alive222')).rejects.toMatchObject({ code: 'unreachable' });
  await expect(state.resize('tool_alive222', { columns: 80, rows: 24 })).rejects.toMatchObject({
    code: 'unreachable',
  });
});

test('a screen goes with its process', async () => {
  await using stage = await openControlStage();
  const { stateDirectory: directory, state } = stage;
  const folder = join(directory, 'processes');
  mkdirSync(folder, { recursive: true });
  writeRecord(directory, endedRecord('tool_orphan22', { terminal }), 'tool_orphan22');
  const own = stage.supervisor.start({ command: 'true', background: true });
  await own.ended;
  const screens = ['tool_orphan22', own.id].map((id) => join(folder, `${id}.screen`));
  for (const path of screens) writeFileSync(path, toScreenText(screen));

  await state.sweep({ all: true });

  expect(screens.map((path) => existsSync(path))).toEqual([false, false]);
});
