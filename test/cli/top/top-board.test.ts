import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { TopBoard } from '../../../src/cli/verbs/top/top-board.ts';
import { renderTop } from '../../../src/cli/verbs/top/top-view.ts';
import { TroupeError } from '../../../src/config/troupe-error.ts';
import type { ProcessView } from '../../../src/process/process-view.ts';
import type { ProcessUsage } from '../../../src/spawn/tree/tree-usage.ts';
import { type FakeProcess, fakeStateDirectory } from '../fake-state-directory.ts';
import { markedPage, plainPage } from '../plain-page.ts';
import { endedView, processView } from '../process-views.ts';

const running = (id: string, pid: number): FakeProcess => ({
  view: { ...processView({ id }), pid } as ProcessView,
});
const usage = (cpuShare: number, mebibytes: number): ProcessUsage => ({
  ...{ cpuShare, cpuMs: 0, memoryBytes: mebibytes * 1024 ** 2, peakMemoryBytes: null },
  ...{ readBytes: null, writtenBytes: null, processes: 1, ports: [] },
});
const usages = new Map([
  ['a', usage(0, 300)],
  ['b', usage(1.5, 10)],
  ['c', usage(0.2, 20)],
]);

function board(
  processes: FakeProcess[] = [running('a', 1), running('b', 2), running('c', 3)],
  showsAll = false,
) {
  const state = fakeStateDirectory(processes);
  const directory = state.open();
  let changes = 0;
  const made = new TopBoard({
    state: directory,
    readUsage: async () => usages,
    page: plainPage(80),
    showsAll,
    onChange: () => {
      changes += 1;
    },
  });
  const ids = () => made.view.rows.map(({ view }) => view.id).join('');
  const press = async (...keys: readonly string[]) => {
    for (const key of keys) await made.press(key);
  };
  return { board: made, directory, ids, press, orders: state.orders, changes: () => changes };
}

test('top sorts by processor share first', async () => {
  const { board: top, ids, press } = board();
  await top.refresh();

  const orders = [ids()];
  for (let times = 0; times < 3; times += 1) {
    await press('s');
    orders.push(ids());
  }

  expect(orders).toEqual(['bca', 'acb', 'acb', 'bca']);
  expect(renderTop(top.view, { page: plainPage(80), rows: 24 })[3]).toMatch(
    /^ {2}b +backgrounded +tool +2 +150% +10M/,
  );
});

test('the selection survives a change of order', async () => {
  const { board: top, press } = board();
  await top.refresh();

  await press('down', 's', 's');

  expect(top.view.selectedId).toBe('c');
});

test('the selection keeps its place when its process goes', async () => {
  const processes = [running('a', 1), running('b', 2), running('c', 3)];
  const { board: top, directory, press } = board(processes);
  await top.refresh();
  await press('down');
  const { processes: seen } = await directory.list();

  directory.list = async () => ({ processes: seen.filter(({ view }) => view.id !== 'c'), warnings: [] });
  await top.refresh();

  expect(top.view.selectedId).toBe('a');
});

test('the selection stops at both ends', async () => {
  const { board: top, press } = board();
  await top.refresh();

  await press('up', 'up');
  const first = top.view.selectedId;
  await press('pagedown', 'down');

  expect([first, top.view.selectedId]).toEqual(['b', 'a']);
});

test('top ends nothing without a yes', async () => {
  const { board: top, press, orders } = board();
  await top.refresh();

  await press('k', 'n', 'k', 'return', 'k', 'q');

  expect(orders).toEqual([]);
  expect(top.view.pane).toEqual({ type: 'list' });
});

test('a yes ends the selected process and shows the answer', async () => {
  const { board: top, press, orders } = board();
  await top.refresh();

  await press('down', 'k');
  const asked = renderTop(top.view, { page: plainPage(80), rows: 24 }).at(-1);
  await press('y');

  expect(asked).toBe('  End c with its tree: serve? y/N');
  expect(orders).toEqual([{ kill: 'c', by: 'user' }]);
  expect(top.view.message).toBe('Process c was cancelled.');
});

test('a yes ends only the process in question', async () => {
  const { board: top, directory, press, orders } = board();
  await top.refresh();
  const { processes: seen } = await directory.list();

  await press('down', 'k');
  directory.list = async () => ({ processes: seen.filter(({ view }) => view.id !== 'c'), warnings: [] });
  await top.refresh();
  const asked = renderTop(top.view, { page: plainPage(80), rows: 24 }).at(-1);
  await press('y');

  expect(asked).toBe('  End c with its tree: serve? y/N');
  expect(orders).toEqual([{ kill: 'c', by: 'user' }]);
});

test('the facts keep their process when it leaves the list', async () => {
  const { board: top, directory, press, orders } = board();
  await top.refresh();
  const { processes: seen } = await directory.list();

  await press('down', 'return');
  directory.list = async () => ({ processes: seen.filter(({ view }) => view.id !== 'c'), warnings: [] });
  await top.refresh();
  const shown = renderTop(top.view, { page: plainPage(80), rows: 24 });
  await press('k', 'y');

  expect(shown[2]?.trim()).toBe('c');
  expect(orders).toEqual([{ kill: 'c', by: 'user' }]);
});

test('a question stays when facts arrive late', async () => {
  const { board: top, directory, press } = board();
  await top.refresh();
  await press('return');
  const { show } = directory;
  const [asked, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  directory.show = async (id) => {
    asked.resolve();
    await answered.promise;
    return show(id);
  };

  const refreshed = top.refresh();
  await asked.promise;
  await press('k');
  answered.resolve();
  await refreshed;

  expect(top.view.pane.type).toBe('confirm');
});

test.each([12, 40, 60])('a question cut to %i columns shows its answers', async (width) => {
  const view = processView({ id: 'tool_a', label: 'web', commandLine: `node ${'語'.repeat(100)}` });
  const { board: top, press } = board([{ view }]);
  await top.refresh();

  await press('k');

  const asked = renderTop(top.view, { page: plainPage(width), rows: 24 }).at(-1) ?? '';
  expect(asked).toMatch(/^ {2}End.*\? y\/N$/);
  expect(stringWidth(asked)).toBeLessThanOrEqual(width);
});

test('Enter opens the facts and q returns', async () => {
  const { board: top, press } = board();
  await top.refresh();

  await press('return', 'down');
  const shown = renderTop(top.view, { page: plainPage(80), rows: 24 });
  const isLeaving = await top.press('q');

  expect(shown[2]).toContain('status     backgrounded');
  expect([isLeaving, await top.press('q')]).toEqual([false, true]);
});

test('a shows ended processes', async () => {
  const { board: top, press, ids } = board([running('a', 1), { view: endedView({ id: 'z' }) }]);
  await top.refresh();
  const before = ids();

  await press('a');

  expect([before, ids()]).toEqual(['a', 'az']);
});

test('the title counts running processes, not listed ones', async () => {
  const leftovers = [{ pid: 5, pgid: 5, startedAt: '1', command: 'redis-server' }];
  const left = { view: { ...endedView({ id: 'y' }), leftovers } as ProcessView };
  const {
    board: top,
    press,
    ids,
  } = board([running('a', 1), running('b', 2), { view: endedView({ id: 'z' }) }, left]);
  await top.refresh();
  const listed = ids();
  await press('a');

  const [title] = renderTop(top.view, { page: plainPage(80), rows: 24 });

  expect([listed, ids()]).toEqual(['bay', 'bazy']);
  expect(title).toBe('  2 running, 1 ended with live leftovers · /project/.troupe');
});

test('the board reports an error and continues', async () => {
  const { board: top, directory, changes } = board();
  const { list } = directory;
  directory.list = () => Promise.reject(new TroupeError({ code: 'unreachable', message: 'Nobody answers.' }));

  await top.refresh();
  const message = top.view.message;
  directory.list = list;
  await top.refresh();

  expect([message, top.view.message]).toEqual(['Nobody answers.', null]);
  expect(changes()).toBe(2);
});

test.each([
  [40, 10],
  [60, 24],
  [120, 5],
])('the board fits into %i columns and %i rows', async (width, rows) => {
  const many = Array.from({ length: 30 }, (_, index) => running(`tool_${index}`, index + 4));
  const { board: top, press } = board(many);
  await top.refresh();
  await press('pagedown', 'pagedown');

  const lines = renderTop(top.view, { page: plainPage(width), rows });

  expect(lines).toHaveLength(rows);
  expect(Math.max(...lines.map((line) => stringWidth(line)))).toBeLessThanOrEqual(width);
  expect(lines.join('\n')).toContain(top.view.selectedId);
});

test('the selected row is highlighted', async () => {
  const { board: top } = board();
  await top.refresh();

  const lines = renderTop(top.view, { page: markedPage(80), rows: 24 });

  expect(lines.filter((line) => line.startsWith('{inverse|  b'))).toHaveLength(1);
});

test('an empty directory is reported', async () => {
  const { board: top, press } = board([]);
  await top.refresh();
  await press('k', 'return', 'down');

  expect(renderTop(top.view, { page: plainPage(80), rows: 24 })).toContain(
    '  No live processes known in /project/.troupe',
  );
});
