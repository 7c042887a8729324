import { expect, test } from 'vitest';
import type { ProcessRecord } from '../../src/index.ts';
import { readRecord } from '../../src/process/read-record.ts';
import { openDirectoryHarness } from '../support/directory.ts';

/** Returns records of a live and an ended persistent process, as a supervisor writes them. */
async function writeRecords(): Promise<readonly ProcessRecord[]> {
  const { records, open } = openDirectoryHarness();
  const { supervisor, backend, clock } = open();
  const start = () =>
    supervisor.start({ command: ['x'], lifetime: 'persistent', background: true, ready: { line: /up/ } });
  const [, ended] = [start(), start()];
  backend.lastRun.exit({ code: 2 });
  await ended.ended;
  clock.advance(1_000);
  const found = records.load().records;
  await supervisor.shutdown();
  return found;
}

/** Returns the paths of all values in a document. */
function pathsOf(value: unknown, path: readonly string[] = []): readonly (readonly string[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([name, part]) => pathsOf(part, [...path, name]))];
}

function withValue(document: unknown, { path, value }: { path: readonly string[]; value: unknown }): unknown {
  const copy = structuredClone(document) as Record<string, unknown>;
  const last = path.at(-1) ?? '';
  let place = copy;
  for (const name of path.slice(0, -1)) place = place[name] as Record<string, unknown>;
  place[last] = value;
  return copy;
}

test('older words of a timeline become event names', async () => {
  const [live] = await writeRecords();
  const words = ['created', 'leftovers ended', 'secret written', 'not ready', 'limits changed', 'ended'];
  const older = words.map((event, at) => ({ at, event, by: 'user', detail: 'why' }));

  const read = readRecord({ ...live, timeline: older }, live?.view.id ?? '');

  expect(read.ok && read.record.timeline).toEqual(
    [
      'process.created',
      'leftovers.ended',
      'process.secretWritten',
      'process.unready',
      'limits.changed',
      'process.ended',
    ].map((type, at) => ({ type, at, by: 'user', detail: 'why' })),
  );
});

test('the older spelling of an end by a limit becomes that of the status', async () => {
  const [, ended] = await writeRecords();
  const facts = { limit: 'timeout', afterMs: 5 };
  const view = { ...ended?.view, status: 'timed_out', reason: { type: 'timedOut', ...facts } };

  const read = readRecord({ ...ended, view }, ended?.view.id ?? '');

  expect(read.ok && read.record.view).toMatchObject({
    status: 'timed_out',
    reason: { type: 'timed_out', ...facts },
  });
});

test('the older spelling of the mode of an agent in this program becomes that of agent files', async () => {
  const [, ended] = await writeRecords();

  const read = readRecord({ ...ended, view: { ...ended?.view, mode: 'in-process' } }, ended?.view.id ?? '');

  expect(read.ok && read.record.view.mode).toBe('in_process');
});

test('an older record names no call', async () => {
  const [, ended] = await writeRecords();
  const older = { ...ended?.view, callId: undefined };

  const read = readRecord(JSON.parse(JSON.stringify({ ...ended, view: older })), ended?.view.id ?? '');

  expect(read.ok && read.record.view.callId).toBeNull();
});

test('a record of a supervisor is read again', async () => {
  for (const record of await writeRecords()) {
    expect(readRecord(JSON.parse(JSON.stringify(record)), record.view.id)).toMatchObject({ ok: true });
  }
});

test('a list in a wrong place damages a record', async () => {
  const free = new Set(['view.metadata']);
  for (const record of await writeRecords()) {
    const paths = pathsOf(JSON.parse(JSON.stringify(record))).filter((path) => path.length > 0);
    for (const path of paths.filter((each) => ![...free].some((name) => each.join('.').startsWith(name)))) {
      const bad = withValue(record, { path, value: [[]] });

      const read = readRecord(bad, record.view.id);

      expect({ path: path.join('.'), ok: read.ok }).toEqual({ path: path.join('.'), ok: false });
    }
  }
});

function without(document: unknown, path: string): unknown {
  const copy = structuredClone(document) as Record<string, unknown>;
  const names = path.split('.');
  let place = copy;
  for (const name of names.slice(0, -1)) {
    if (place[name] === null) return copy;
    place = place[name] as Record<string, unknown>;
  }
  delete place[names.at(-1) ?? ''];
  return copy;
}

test('a record from before terminals is completed', async () => {
  const later = [
    'view.terminal',
    'view.progress',
    'view.awaitsInput',
    'revival.files.screen',
    'revival.size',
  ];
  for (const record of await writeRecords()) {
    const old = later.reduce(without, JSON.parse(JSON.stringify(record)) as unknown);
    expect(JSON.stringify(old)).not.toMatch(/"(terminal|progress|awaitsInput|screen|size)"/);

    const read = readRecord(old, record.view.id);

    expect(read).toEqual({ ok: true, record });
  }
});

test('reading a record keeps the order of its fields', async () => {
  for (const record of await writeRecords()) {
    const text = JSON.stringify(record);

    const read = readRecord(JSON.parse(text), record.view.id);

    expect(read.ok && JSON.stringify(read.record)).toBe(text);
  }
});

const watch = { owner: 'user', since: 1, told: 0 };
const quiet = { ...watch, wants: { type: 'quiet', quietMs: 1_000 } };
const pattern = { ...watch, owner: 'conv_a', wants: { type: 'pattern', pattern: 'up' } };

test.each([
  ['of another kind', { ...watch, wants: { type: 'moon', phase: 'full' } }],
  ['without an owner', { ...quiet, owner: undefined }],
  ['with an invalid expression', { ...watch, wants: { type: 'pattern', pattern: '(' } }],
  ['that is a text', 'quiet'],
  ['that is null', null],
])('a record drops a watch %s', async (_, odd) => {
  const [live] = await writeRecords();
  const revival = { ...live?.revival, watches: [quiet, odd, pattern] };

  const read = readRecord({ ...live, revival }, live?.view.id ?? '');

  expect(read.ok && read.record.revival?.watches).toEqual([quiet, pattern]);
});

test('a record drops watches that are no list', async () => {
  const [live] = await writeRecords();
  const revival = { ...live?.revival, watches: { first: quiet } };

  const read = readRecord({ ...live, revival }, live?.view.id ?? '');

  expect(read).toEqual({ ok: true, record: live });
});
