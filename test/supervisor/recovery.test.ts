import { appendFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { createConversation } from '../../src/conversation/create-conversation.ts';
import { createMemoryRecordStore, type ProcessRecord, type Supervisor } from '../../src/index.ts';
import { createScriptedModel } from '../../src/models/scripted-model.ts';
import { createMemoryJournal } from '../../src/store/journal.ts';
import { createVirtualClock, type Script } from '../../src/testing/index.ts';
import { openDirectoryHarness } from '../support/directory.ts';
import { waitUntil } from '../support/os.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

const persistent = { command: ['server'] as [string], lifetime: 'persistent', background: true } as const;

test('a process between two attempts is started again', async () => {
  const { open, crash } = openDirectoryHarness();
  const first = open();
  const { id } = first.supervisor.start({
    ...persistent,
    restart: { policy: 'permanent', minBackoff: 5_000 },
  });
  first.backend.lastRun.exit({ code: 1 });
  await turn();
  first.clock.advance(2_500);
  expect(first.supervisor.get(id)?.status).toBe('restarting');

  first.clock.advance(100);
  crash(first.supervisor);
  const second = open();

  const handle = second.supervisor.get(id);
  expect(second.backend.lastRun.request).toMatchObject({ id, attempt: 2 });
  expect(second.backend.lastRun.isAdopted).toBe(false);
  expect(handle?.view()).toMatchObject({ status: 'backgrounded', attempt: 2 });
});

test('a stop that was under way is carried on', async () => {
  const { open, crash } = openDirectoryHarness();
  const stubborn: Script = (run) => {
    run.obeys = (signal) => signal === 'SIGKILL';
    if (run.isAdopted) run.beAdopted();
    else run.comeUp();
  };
  const first = open({ script: stubborn });
  const handle = first.supervisor.start({ ...persistent, killGrace: 1_000 });
  void handle.kill({ by: 'agent' });
  first.clock.advance(100);
  crash(first.supervisor);

  const second = open({ script: stubborn });
  expect(second.supervisor.get(handle.id)?.status).toBe('stopping');
  second.clock.advance(1_000);

  const ended = await second.supervisor.get(handle.id)?.ended;
  expect(second.backend.lastRun.signals).toEqual(['SIGTERM', 'SIGKILL']);
  expect(ended).toMatchObject({ status: 'killed', reason: { by: 'agent', escalated: true } });
});

test('a named reader continues under the next supervisor', async () => {
  const { open, crash } = openDirectoryHarness();
  const first = open();
  const handle = first.supervisor.start(persistent);
  const logFile = handle.view().output.logFile ?? '';
  mkdirSync(dirname(logFile), { recursive: true });
  appendFileSync(logFile, 'one\n');
  const reader = handle.reader('agent');
  reader.acknowledge(reader.read());
  first.clock.advance(100);
  crash(first.supervisor);
  appendFileSync(logFile, 'two\n');

  const second = open();

  expect(second.supervisor.get(handle.id)?.reader('agent').read().text).toBe('two\n');
  expect(second.supervisor.get(handle.id)?.reader('person').read().text).toBe('one\ntwo\n');
});

test('a limit keeps its distance when the wall clock was set', () => {
  const { open, crash } = openDirectoryHarness();
  const start = createVirtualClock();
  const first = open({ clock: { ...start, machineMs: () => 5_000_000 + start.nowMs() } });
  const { id } = first.supervisor.start({ ...persistent, maxBackgroundTime: '60s' });
  start.advance(100);
  crash(first.supervisor);

  const hourLater = createVirtualClock({ epochMs: start.epochMs() + 3_600_000 });
  const second = open({ clock: { ...hourLater, machineMs: () => 5_010_000 + hourLater.nowMs() } });
  hourLater.advance(40_000);
  const before = second.supervisor.get(id)?.status;
  hourLater.advance(10_000);

  expect([before, second.supervisor.get(id)?.status]).toEqual(['backgrounded', 'timed_out']);
});

test('restarts before a takeover count with their distance', async () => {
  const { open, crash } = openDirectoryHarness();
  const restart = { policy: 'permanent', maxRestarts: 1, within: '60s', minBackoff: 1_000 } as const;
  const first = open();
  const [once, twice] = ['early', 'late'].map((label) =>
    first.supervisor.start({ ...persistent, label, restart }),
  );
  first.backend.runs[0]?.exit({ code: 1 });
  await turn();
  first.clock.advance(50_000);
  first.backend.runs[1]?.exit({ code: 1 });
  await turn();
  first.clock.advance(5_000);
  crash(first.supervisor);

  const second = open({ clock: createVirtualClock({ epochMs: first.clock.epochMs() + 15_000 }) });
  for (const run of second.backend.runs) run.exit({ code: 1 });
  await turn();

  const statusOf = (handle: typeof once) => second.supervisor.get(handle?.id ?? '')?.status;
  expect([statusOf(once), statusOf(twice)]).toEqual(['restarting', 'failed']);
});

test('changed limits and the owner go with it', async () => {
  const { open, crash } = openDirectoryHarness();
  const first = open();
  const handle = first.supervisor.start({ ...persistent, maxBackgroundTime: 1_000 });
  handle.changeLimits({ maxBackgroundTime: 60_000 });
  first.supervisor.transfer(handle.id, 'conv_heir');
  first.clock.advance(100);
  crash(first.supervisor);

  const second = open();
  second.clock.advance(30_000);

  expect(second.supervisor.get(handle.id)?.view()).toMatchObject({
    status: 'backgrounded',
    owner: 'conv_heir',
  });
});

test('readiness survives an adoption', async () => {
  const { open, crash } = openDirectoryHarness();
  const first = open();
  const ready = first.supervisor.start({ ...persistent, ready: { alive: 10 } });
  const waiting = first.supervisor.start({ ...persistent, ready: { alive: 5_000, within: 60_000 } });
  first.clock.advance(50);
  await turn();
  first.clock.advance(50);
  crash(first.supervisor);

  const second = open();
  const views = () => [ready.id, waiting.id].map((id) => second.supervisor.get(id)?.view());
  expect(views()).toMatchObject([{ ready: { state: 'ready' } }, { ready: { state: 'waiting' } }]);
  second.clock.advance(5_100);
  await turn();

  expect(views()[1]).toMatchObject({ ready: { state: 'ready' } });
});

test('an adopted process is beyond no limit, and counts', async () => {
  const { open, crash } = openDirectoryHarness();
  const first = open();
  const ids = Array.from({ length: 3 }, () => first.supervisor.start(persistent).id);
  first.clock.advance(100);
  crash(first.supervisor);

  const second = open({ maxBackgroundProcesses: 2 });

  expect(second.supervisor.recovered.adopted).toEqual(ids);
  expect(() => second.supervisor.start(persistent)).toThrow('Maximum background processes (2) reached');
});

test('many lost are one notice to the conversation', async () => {
  const { open, crash } = openDirectoryHarness();
  const first = open({ maxBackgroundProcesses: 20 });
  for (let n = 0; n < 20; n += 1) {
    first.supervisor.start({ command: ['work', String(n)], background: true, owner: 'conv_kept' });
  }
  first.clock.advance(100);
  crash(first.supervisor);

  const journal = createMemoryJournal();
  const { supervisor } = open();
  const conversation = createConversation({
    supervisor,
    model: createScriptedModel([{ text: 'I see' }]),
    id: 'conv_kept',
    journal,
    policy: { mode: 'dangerous' },
  });
  await waitUntil(() => conversation.transcript.some(({ role }) => role === 'assistant'));
  await conversation.idle();

  const notices = conversation.transcript.filter((message) => message.role === 'notice');
  expect(notices).toHaveLength(1);
  expect(notices[0]).toMatchObject({ completionIds: { length: 20 } });
  await conversation.close();
});

test('an end is not told again by the next program', async () => {
  const { open, crash } = openDirectoryHarness();
  const converse = (supervisor: Supervisor) =>
    createConversation({
      supervisor,
      model: createScriptedModel([{ text: 'I see' }, { text: 'again' }]),
      id: 'conv_forgetful',
      policy: { mode: 'dangerous' },
    });
  const first = open();
  const before = converse(first.supervisor);
  first.supervisor.start({ command: ['work'], background: true, owner: 'conv_forgetful' });
  first.backend.lastRun.exit({ code: 1 });
  await waitUntil(() => before.transcript.some(({ role }) => role === 'notice'));
  first.clock.advance(100);
  crash(first.supervisor);

  const second = open();
  const after = converse(second.supervisor);
  await turn();
  await after.idle();

  expect(second.supervisor.recovered.ended).toBe(1);
  expect(after.transcript).toEqual([]);
});

/** Recovers a process `afterMs` after its start; its backend reports an exit that it did not observe. */
async function recoverEnded({ afterMs, exitedAtMs }: { afterMs: number; exitedAtMs: number }) {
  const { open, crash } = openDirectoryHarness();
  const first = open();
  const { id } = first.supervisor.start(persistent);
  first.clock.advance(100);
  crash(first.supervisor);
  const startedAt = first.clock.epochMs() - 100;
  const second = open({
    clock: createVirtualClock({ epochMs: startedAt + afterMs }),
    script: (run) => {
      run.beAdopted();
      run.tell({ type: 'process.exited', exit: { code: 3, signal: null }, exitedAtMs });
      run.endOutput();
    },
  });
  return { startedAt, ended: await second.supervisor.get(id)?.ended };
}

test('a process that ended without a supervisor keeps the time of its exit', async () => {
  const { startedAt, ended } = await recoverEnded({ afterMs: 60_000, exitedAtMs: -56_000 });

  expect(ended).toMatchObject({ status: 'failed', endedAt: startedAt + 4_000, runtimeMs: 4_000 });
});

test('a process whose exit seems to precede its start has no runtime', async () => {
  const { ended } = await recoverEnded({ afterMs: 100, exitedAtMs: -5_000 });

  expect(ended).toMatchObject({ runtimeMs: 0 });
});

test('the newest ended processes are listed again, up to maxFinished', async () => {
  const { open, crash } = openDirectoryHarness();
  const first = open();
  const ids: string[] = [];
  for (let n = 0; n < 4; n += 1) {
    ids.push(first.supervisor.start({ command: ['work'], background: true }).id);
    first.backend.lastRun.exit();
    await turn();
    first.clock.advance(100);
  }
  crash(first.supervisor);

  const { supervisor } = open({ maxFinished: 2 });

  expect(supervisor.list().map(({ id }) => id)).toEqual(ids.slice(2));
  expect(supervisor.recovered.ended).toBe(2);
});

test('ended records go with their time', async () => {
  const { open, crash, records } = openDirectoryHarness();
  const first = open();
  const { id } = first.supervisor.start({ command: ['work'], background: true });
  first.backend.lastRun.exit();
  await turn();
  first.clock.advance(100);
  await waitUntil(() => records.read(id)?.view.status === 'completed');
  crash(first.supervisor);
  const record = records.read(id) as ProcessRecord;
  const old = { ...record, timeline: [], view: { ...record.view, endedAt: -1 } } as ProcessRecord;
  records.save(id, old);

  const second = open({ retention: 0 });

  expect(second.supervisor.list()).toEqual([]);
  expect(records.read(id)).toBeNull();
});

test.each([
  [{ run: async () => {}, lifetime: 'persistent' }, 'runs in this program'],
  [{ ...persistent, secrets: { TOKEN: 'hush' } }, '"secrets" cannot be hidden'],
  [{ ...persistent, logFile: false }, '"logFile" is false'],
])('a start that cannot outlive the program is refused: %#', (spec, sentence) => {
  const { supervisor } = openDirectoryHarness().open();

  expect(() => supervisor.start(spec as never)).toThrow(sentence);
  expect(supervisor.list()).toEqual([]);
});

test('a persistent process needs a state directory', () => {
  const { supervisor } = createVirtualHarness({ durable: true });

  expect(() => supervisor.start(persistent)).toThrow('"stateDirectory" is false');
});

test('without a record nothing persistent is started', () => {
  const records = createMemoryRecordStore<ProcessRecord>();
  const full = {
    ...records,
    save: () => {
      throw new Error('ENOSPC: no space left on device');
    },
  };
  const { supervisor, backend } = openDirectoryHarness().open({ records: full });

  expect(() => supervisor.start(persistent)).toThrow(/cannot be written .*ENOSPC/);
  expect(backend.runs).toEqual([]);
  expect(supervisor.list()).toEqual([]);
});

test('a session process continues without a record', async () => {
  const faults: unknown[] = [];
  const records = createMemoryRecordStore<ProcessRecord>();
  const full = {
    ...records,
    save: () => {
      throw new Error('ENOSPC: no space left on device');
    },
  };
  const { supervisor, clock } = openDirectoryHarness().open({ records: full });
  supervisor.events$.subscribe((event) => event.type === 'supervisor.faulted' && faults.push(event.error));

  const handle = supervisor.start({ command: ['work'], background: true });
  clock.advance(100);

  expect(handle.status).toBe('backgrounded');
  expect(faults.length).toBeGreaterThan(0);
});

test('an attempt is written down before it is started', async () => {
  const { open, crash, record } = openDirectoryHarness();
  const seen: unknown[] = [];
  const first = open({
    script: (run) => {
      if (run.request.attempt > 1) seen.push(record(run.request.id).view);
      run.comeUp();
    },
  });
  const { id } = first.supervisor.start({ ...persistent, restart: { policy: 'permanent', minBackoff: 100 } });
  first.backend.lastRun.exit({ code: 1 });
  await turn();
  first.clock.advance(3_000);
  expect(seen).toMatchObject([{ status: 'pending', attempt: 2 }]);

  crash(first.supervisor);
  const second = open();

  expect(second.backend.lastRun).toMatchObject({ isAdopted: true, request: { id, attempt: 2 } });
});

test('a record that cannot be claimed is left alone', async () => {
  const { open, crash, records } = openDirectoryHarness();
  const first = open();
  const { id } = first.supervisor.start(persistent);
  first.clock.advance(100);
  crash(first.supervisor);
  const full = {
    ...records,
    save: () => {
      throw new Error('ENOSPC: no space left on device');
    },
  };

  const second = open({ records: full });
  const third = open();

  expect(second.supervisor.recovered).toMatchObject({
    adopted: [],
    damaged: [{ name: id, why: expect.stringContaining('ENOSPC') }],
  });
  expect(second.backend.runs).toEqual([]);
  expect(third.supervisor.recovered.adopted).toEqual([id]);
});

test('a record that cannot be made sense of stops no other', async () => {
  const { open, crash, records, record } = openDirectoryHarness();
  const first = open();
  const [bad, good] = [first.supervisor.start(persistent), first.supervisor.start(persistent)];
  first.clock.advance(100);
  crash(first.supervisor);
  const broken = record(bad.id);
  records.save(bad.id, {
    ...broken,
    revival: { ...broken.revival, ready: { line: { source: '(', flags: '' }, within: 1 } },
  } as ProcessRecord);

  const { supervisor } = open();

  expect(supervisor.recovered.adopted).toEqual([good.id]);
  expect(supervisor.recovered.damaged).toMatchObject([{ name: bad.id }]);
});

test('an emptied state directory orphans no process', async () => {
  const { open, path: directory } = openDirectoryHarness();
  const first = open();
  const handle = first.supervisor.start(persistent);
  first.clock.advance(100);

  rmSync(directory, { recursive: true });
  handle.changeLimits({ maxBackgroundTime: 0 });
  first.clock.advance(100);
  const second = open();

  expect(second.supervisor.recovered).toMatchObject({ adopted: [], lost: [] });
});

test('a record names no file but its own', async () => {
  const { open, crash, records, record, path: directory } = openDirectoryHarness();
  const first = open();
  const { id } = first.supervisor.start({ command: ['work'], background: true });
  first.backend.lastRun.exit();
  await turn();
  first.clock.advance(100);
  crash(first.supervisor);
  const { view, ...rest } = record(id);
  const output = { ...view.output, logFile: '/etc/passwd' };
  records.save(id, { ...rest, view: { ...view, output } } as ProcessRecord);

  const { supervisor } = open();

  expect(supervisor.get(id)?.read().text).toBe('');
  expect(directory).not.toContain('/etc');
});

test('a process that was left alone answers calls', async () => {
  const { open } = openDirectoryHarness();
  const { supervisor } = open();
  const handle = supervisor.start({ ...persistent, ready: { line: 'never' } });
  const ready = handle.ready();

  await supervisor.shutdown();

  expect(await handle.kill()).toMatchObject({
    type: 'notRunning',
    message: expect.stringContaining('left it running'),
  });
  expect([handle.restart(), handle.background(), handle.changeLimits({ timeout: 1 })]).toEqual([
    false,
    false,
    false,
  ]);
  expect(await ready).toMatchObject({ state: 'failed' });
});

test('a record that cannot be removed does not disturb the supervisor', async () => {
  const records = createMemoryRecordStore<ProcessRecord>();
  const stuck = {
    ...records,
    remove: () => {
      throw new Error('EROFS: read-only file system');
    },
  };
  const { supervisor, backend } = openDirectoryHarness().open({ records: stuck, maxFinished: 1 });

  for (let n = 0; n < 3; n += 1) {
    supervisor.start({ command: ['work', String(n)], background: true });
    backend.lastRun.exit();
    await turn();
  }

  expect(supervisor.list()).toHaveLength(1);
});

test('a state directory that is a file is reported and the rest works', async () => {
  const { file, open } = openDirectoryHarness({ recordsIn: 'files' });
  const path = file('state');
  writeFileSync(path, 'mine');

  const { supervisor, backend } = open({ stateDirectory: path, control: true });
  const handle = supervisor.start({ command: ['work'], background: true });
  backend.lastRun.exit();
  await handle.ended;

  expect(supervisor.recovered.problem).toContain('ENOTDIR');
  expect(await supervisor.shutdown()).toMatchObject({ survivors: [] });
});

test('a record that found no room is written when there is some', async () => {
  const records = createMemoryRecordStore<ProcessRecord>();
  let isFull = false;
  const small = {
    ...records,
    save: (id: string, record: ProcessRecord) => {
      if (isFull) throw new Error('ENOSPC: no space left on device');
      records.save(id, record);
    },
  };
  const { supervisor, backend, clock } = openDirectoryHarness().open({ records: small });
  const { id } = supervisor.start({ command: ['work'], background: true });
  clock.advance(100);

  isFull = true;
  backend.lastRun.exit({ code: 6 });
  await turn();
  clock.advance(1_000);
  expect(records.read(id)?.view.status).toBe('backgrounded');
  isFull = false;
  clock.advance(5_000);

  expect(records.read(id)?.view).toMatchObject({ status: 'failed', exit: { code: 6 } });
});
