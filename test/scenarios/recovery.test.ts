import {
  chmodSync,
  chownSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import type { ProcessRecord } from '../../src/process/process-record.ts';
import {
  carriers,
  carriersBesideLauncher,
  endAll,
  isAlive,
  startTicksOf,
  tempDir,
  waitUntil,
} from '../support/os.ts';
import { type PuppetHost, startPuppetHost } from '../support/puppet-host.ts';

const places: { remove(): void }[] = [];
const hosts: { readonly starting: Promise<PuppetHost>; readonly directory: string }[] = [];

/** Every host is a Node of its own. */
vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

afterEach(async () => {
  // One that is not up yet, too: its test may have ended early.
  for (let next = hosts.shift(); next !== undefined; next = hosts.shift()) {
    const { starting, directory } = next;
    const host = await starting.catch(() => null);
    await host?.kill();
    await endAll([], `/${host?.supervisorId}/`);
    for (const id of processIds(directory)) await endAll([], `/${id}/`);
  }
  // Only now: a host that is alive would write in there again.
  for (const place of places.splice(0)) place.remove();
});

function openPlace() {
  const place = tempDir();
  places.push(place);
  return place;
}

async function startHost(directory: string, options: object = {}): Promise<PuppetHost> {
  const starting = startPuppetHost(directory, { options });
  hosts.push({ starting, directory });
  return await starting;
}

const recordsIn = (directory: string) => join(directory, 'state', 'processes');

function processIds(directory: string): string[] {
  try {
    return readdirSync(recordsIn(directory)).flatMap((name) => /^(\w+)\.json$/.exec(name)?.[1] ?? []);
  } catch {
    return [];
  }
}

function readRecord(directory: string, id: string): ProcessRecord {
  return JSON.parse(readFileSync(join(recordsIn(directory), `${id}.json`), 'utf8'));
}

/** `null` as long as it was not written. */
function findRecord(directory: string, id: string): ProcessRecord | null {
  return processIds(directory).includes(id) ? readRecord(directory, id) : null;
}

function writeRecord(directory: string, record: { readonly view: { readonly id: string } }): void {
  writeFileSync(join(recordsIn(directory), `${record.view.id}.json`), JSON.stringify(record));
}

/** Starts it in the background and waits until its record knows its leader. */
async function startRecorded(
  host: PuppetHost,
  { directory, ...spec }: { directory: string; command: string | string[] } & Record<string, unknown>,
): Promise<{ id: string; pid: number }> {
  const { id } = await host.ask('start', { background: true, ...spec });
  await host.ask('started', id);
  const { pid } = await waitUntil(() => findRecord(directory, id)?.leader, {
    what: 'its leader is written down',
  });
  return { id, pid };
}

const persistent = { lifetime: 'persistent' } as const;

test('a process that ended with its supervisor is lost at the next start', async () => {
  const place = openPlace();
  const directory = place.path;
  const first = await startHost(directory);
  const { id } = await startRecorded(first, { directory, command: ['sleep', '300'] });

  await first.kill();
  await waitUntil(() => carriers(`/${id}/`).length === 0);
  const second = await startHost(directory);
  await second.ask('listen');

  const { status, reason, exit } = await second.completion(`${id}/1/ended`);
  expect({ status, exit }).toEqual({ status: 'lost', exit: null });
  expect(reason).toMatchObject({ type: 'lost', why: expect.stringContaining(first.supervisorId) });
  expect(second.recovered).toMatchObject({ adopted: [], lost: [id] });
});

test('a real end that was written down is not called lost', async () => {
  const place = openPlace();
  const directory = place.path;
  const first = await startHost(directory);
  const { id } = await first.ask('start', { command: 'exit 7', background: true });
  await first.ask('ended', id);
  await waitUntil(() => findRecord(directory, id)?.view.status === 'failed');

  await first.kill();
  const second = await startHost(directory);

  const { view, timeline } = await second.ask('view', id);
  expect(view).toMatchObject({ status: 'failed', exit: { code: 7, signal: null } });
  expect(timeline.map(({ type }) => type)).toEqual(['process.created', 'process.started', 'process.ended']);
  expect(second.recovered).toMatchObject({ adopted: [], lost: [], ended: 1 });
});

test('a persistent process survives the kill and is adopted', async () => {
  const place = openPlace();
  const directory = place.path;
  const first = await startHost(directory);
  const command = 'n=0; while :; do echo line $n; n=$((n+1)); sleep 0.01; done';
  const { id, pid } = await startRecorded(first, { directory, command, ...persistent });
  const begun = startTicksOf(pid);

  await first.kill();
  const atDeath = statSync(join(recordsIn(directory), `${id}.log`)).size;
  await waitUntil(() => statSync(join(recordsIn(directory), `${id}.log`)).size > atDeath + 50);
  const second = await startHost(directory);
  await second.ask('started', id);

  const { view, timeline } = await second.ask('view', id);
  expect(view).toMatchObject({ status: 'backgrounded', pid, mode: 'file', lifetime: 'persistent' });
  expect(startTicksOf(pid)).toBe(begun);
  expect(timeline.at(-1)).toMatchObject({ type: 'process.adopted' });
  const { text } = await second.ask('read', { id, maxBytes: 1_000_000, format: 'raw' });
  const lines = text.trimEnd().split('\n').slice(0, -1);
  expect(lines).toEqual(lines.map((_, n) => `line ${n}`));
  expect(await second.ask('kill', { id })).toMatchObject({ type: 'killed', receipt: { survivors: [] } });
  expect(carriersBesideLauncher(`/${id}/`)).toEqual([]);
});

test('an adopted process has the rest of its limit', async () => {
  const place = openPlace();
  const directory = place.path;
  const first = await startHost(directory);
  const limited = { maxBackgroundTime: '1h', killGrace: 200 };
  const { id } = await startRecorded(first, {
    directory,
    command: ['sleep', '300'],
    ...persistent,
    ...limited,
  });
  await first.kill();
  // As if it had run for all but the last seconds of its hour.
  const record = readRecord(directory, id);
  const startedAt = (record.view as { startedAt: number }).startedAt - 3_598_000;
  writeRecord(directory, { ...record, view: { ...record.view, startedAt } } as ProcessRecord);

  const second = await startHost(directory);
  const ended = await second.ask('ended', id);

  expect(ended).toMatchObject({ status: 'timed_out', reason: { limit: 'maxBackgroundTime' } });
  expect(ended.endedAt - startedAt).toBeGreaterThanOrEqual(3_599_900);
});

test.each([
  ['exit 5', { code: 5, signal: null }, 'failed'],
  ['exit 0', { code: 0, signal: null }, 'completed'],
  ['kill -9 $$', { code: null, signal: 'SIGKILL' }, 'failed'],
  ['exit 137', { code: 137, signal: null }, 'failed'],
])('an end without a supervisor is recorded truthfully: %s', async (end, exit, status) => {
  const place = openPlace();
  const directory = place.path;
  const first = await startHost(directory);
  const go = place.file('go');
  const command = `until test -e ${go}; do sleep 0.1; done; echo bye; ${end}`;
  const { id, pid } = await startRecorded(first, { directory, command, ...persistent });

  await first.kill();
  writeFileSync(go, '');
  await waitUntil(() => !isAlive(pid));
  const second = await startHost(directory);
  await second.ask('listen');

  const told = await second.completion(`${id}/1/ended`);
  expect(told).toMatchObject({ status, exit });
  expect((await second.ask('read', { id })).text).toBe('bye\n');
});

test('an orderly end keeps what is persistent alone', async () => {
  const place = openPlace();
  const directory = place.path;
  const first = await startHost(directory);
  const kept = await startRecorded(first, { directory, command: ['sleep', '300'], ...persistent });
  const ended = await startRecorded(first, { directory, command: ['sleep', '301'] });

  const report = await first.ask('shutdown');
  await first.leave();

  expect(report).toMatchObject({ ended: [ended.id], left: [kept.id], survivors: [] });
  expect([isAlive(kept.pid), isAlive(ended.pid)]).toEqual([true, false]);
  const second = await startHost(directory);
  expect(second.recovered).toMatchObject({ adopted: [kept.id], lost: [], ended: 1 });
  await second.ask('started', kept.id);
  await second.ask('kill', { id: kept.id });
  expect(isAlive(kept.pid)).toBe(false);
});

test('twenty simultaneous losses wait for the first subscriber', async () => {
  const place = openPlace();
  const directory = place.path;
  const first = await startHost(directory);
  const ids = await Promise.all(
    Array.from(
      { length: 20 },
      async () => (await startRecorded(first, { directory, command: ['sleep', '300'] })).id,
    ),
  );

  await first.kill();
  const second = await startHost(directory);
  const { length: before } = second.completions;
  await second.ask('listen');

  expect(before).toBe(0);
  await waitUntil(() => second.completions.length === 20);
  expect(second.completions.map(({ id }) => id).sort()).toEqual(ids.map((id) => `${id}/1/ended`).sort());
});

test('damaged and foreign records are left alone', async () => {
  const place = openPlace();
  const directory = place.path;
  const first = await startHost(directory);
  const good = await startRecorded(first, { directory, command: ['sleep', '300'] });
  await first.kill();
  const record = readRecord(directory, good.id);
  const at = (name: string) => join(recordsIn(directory), `${name}.json`);
  const copy = (id: string) => ({ ...record, view: { ...record.view, id } });
  writeRecord(directory, copy('tool_whole'));
  for (const name of ['tool_cut', 'tool_locked', 'tool_theirs']) writeRecord(directory, copy(name));
  truncateSync(at('tool_cut'), 200);
  writeFileSync(at('tool_words'), 'no JSON at all');
  const future = { ...copy('tool_future'), version: 99 };
  writeRecord(directory, future);
  chmodSync(at('tool_locked'), 0);
  chownSync(at('tool_theirs'), 4_242, 4_242);
  const names = ['tool_cut', 'tool_words', 'tool_future', 'tool_theirs'];
  const before = names.map((name) => readFileSync(at(name)));

  const second = await startHost(directory);

  expect([...second.recovered.lost].sort()).toEqual(
    ['tool_whole', good.id].concat(process.getuid?.() === 0 ? ['tool_locked'] : []).sort(),
  );
  const damaged = second.recovered.damaged.map(({ name }) => name);
  for (const name of names) expect(damaged.some((path) => path.includes(name))).toBe(true);
  expect(second.recovered.damaged.find(({ name }) => name.includes('tool_future'))?.why).toContain('99');
  expect(names.map((name) => readFileSync(at(name)))).toEqual(before);
});

test('a number that was given away is never signalled', async () => {
  const place = openPlace();
  const directory = place.path;
  const first = await startHost(directory);
  const kept = await startRecorded(first, { directory, command: ['sleep', '300'], ...persistent });
  const lost = await startRecorded(first, { directory, command: ['sleep', '300'] });
  const elsewhere = openPlace();
  const bystander = await startHost(elsewhere.path);
  await first.kill();
  await endAll([], `/${kept.id}/`);
  await waitUntil(() => carriers(`/${lost.id}/`).length === 0);
  // As if the pid had been reused by another program.
  for (const { id } of [kept, lost]) {
    const record = readRecord(directory, id);
    const leader = { ...record.leader, pid: bystander.pid, pgid: bystander.pid, sid: bystander.pid };
    writeRecord(directory, { ...record, leader } as ProcessRecord);
  }

  const second = await startHost(directory);
  await second.ask('listen');

  expect(await second.completion(`${lost.id}/1/ended`)).toMatchObject({ status: 'lost' });
  await second.completion(`${kept.id}/1/ended`);
  expect(isAlive(bystander.pid)).toBe(true);
  expect(await bystander.ask('hello')).toMatchObject({ id: bystander.supervisorId });
});

test('two supervisors of one directory keep to what is theirs', async () => {
  const place = openPlace();
  const directory = place.path;
  const first = await startHost(directory);
  const one = await startRecorded(first, { directory, command: ['sleep', '300'], ...persistent });
  const second = await startHost(directory);
  const two = await startRecorded(second, { directory, command: ['sleep', '300'] });

  await second.ask('shutdown');

  expect(second.recovered).toMatchObject({ adopted: [], lost: [] });
  expect([isAlive(one.pid), isAlive(two.pid)]).toEqual([true, false]);
  expect(readRecord(directory, one.id).supervisorId).toBe(first.supervisorId);
});

test('only one of two simultaneous supervisors adopts', async () => {
  const place = openPlace();
  const directory = place.path;
  const first = await startHost(directory);
  const kept = await Promise.all(
    Array.from({ length: 5 }, () =>
      startRecorded(first, { directory, command: ['sleep', '300'], ...persistent }),
    ),
  );
  await first.kill();

  const others = await Promise.all([startHost(directory), startHost(directory), startHost(directory)]);

  const adopted = others.flatMap(({ recovered }) => recovered.adopted);
  expect(adopted.toSorted()).toEqual(kept.map(({ id }) => id).toSorted());
});

test('output printed at once makes a process ready', async () => {
  const place = openPlace();
  const host = await startHost(place.path);
  const started = await Promise.all(
    Array.from({ length: 10 }, () =>
      host.ask('start', {
        command: 'echo done; exec sleep 30',
        ready: { line: 'done', within: '10m' },
        background: true,
        ...persistent,
      }),
    ),
  );

  const states = async () => {
    const views = await Promise.all(started.map(async ({ id }) => (await host.ask('view', id)).view));
    return views.map((view) => ('ready' in view ? view.ready.state : view.status));
  };

  await waitUntil(async () => (await states()).every((state) => state === 'ready'), {
    what: 'all of them are ready',
  });
  await Promise.all(started.map(({ id }) => host.ask('kill', { id })));
});
