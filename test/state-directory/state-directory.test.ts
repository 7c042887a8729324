import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRecord } from '../../src/process/read-record.ts';
import { readTableScope } from '../../src/spawn/tree/table-scope.ts';
import { openStateDirectory } from '../../src/state-directory/open-state-directory.ts';
import { createFileSupervisorRegistry } from '../../src/store/file-supervisor-registry.ts';
import { openControlStage } from '../control/arrange.ts';
import { startTicksOf, tempDir } from '../support/os.ts';
import { endedRecord, runningRecord, writeRecord } from './records.ts';

/** A state directory without a living supervisor. */
function openQuietStage() {
  const place = tempDir();
  const state = openStateDirectory({ directory: place.path });
  return {
    path: place.path,
    state,
    write: (record: { view: { id: string } }) => writeRecord(place.path, record, record.view.id),
    [Symbol.dispose]: () => {
      state.close();
      place.remove();
    },
  };
}

test('a directory that is not there is an empty one', async () => {
  using place = tempDir();
  const state = openStateDirectory({ directory: place.file('nowhere') });

  expect(await state.list()).toEqual({ processes: [], warnings: [] });
  expect(await state.sweep({ all: true })).toEqual({
    forgotten: 0,
    logsRemoved: 0,
    freedBytes: 0,
    warnings: [],
  });
  expect(existsSync(place.file('nowhere'))).toBe(false);
  await expect(state.kill('tool_22222222')).rejects.toMatchObject({ code: 'not-found' });
  await expect(state.show('../../etc/passwd')).rejects.toMatchObject({ code: 'not-found' });
});

test('live ones come first, then ended ones, each in order of creation', async () => {
  await using stage = await openControlStage();
  for (const [n, id] of ['tool_ccccccc3', 'tool_aaaaaaa1', 'tool_bbbbbbb2'].entries()) {
    writeRecord(stage.stateDirectory, endedRecord(id, { createdAt: 3_000 - n * 1_000 }), id);
  }

  const { processes } = await stage.state.list();

  expect(processes.map(({ view, answered }) => [view.id, answered])).toEqual([
    [stage.idle.id, true],
    ['tool_bbbbbbb2', false],
    ['tool_aaaaaaa1', false],
    ['tool_ccccccc3', false],
  ]);
});

test('a record of a dead supervisor is checked against live processes', async () => {
  using stage = openQuietStage();
  const scope = readTableScope();
  const self = { pid: process.pid, pgid: process.pid, sid: 0, startedAt: String(startTicksOf(process.pid)) };
  const leader = { ...self, ...scope, cookie: '/tool_x/' };
  stage.write(runningRecord('tool_alive222', { leader }));
  stage.write(runningRecord('tool_reused22', { leader: { ...leader, startedAt: '1' } }));
  stage.write(runningRecord('tool_rebooted', { leader, scope: { ...scope, bootId: 'another' } }));
  stage.write(runningRecord('tool_foreign2', { leader, scope: { ...scope, pidNamespace: 'pid:[1]' } }));

  const { processes } = await stage.state.list();

  expect(Object.fromEntries(processes.map(({ view }) => [view.id, view.status]))).toEqual({
    tool_alive222: 'backgrounded',
    tool_foreign2: 'backgrounded',
    tool_reused22: 'lost',
    tool_rebooted: 'lost',
  });
});

test('leftovers of a dead supervisor are listed while they live', async () => {
  using stage = openQuietStage();
  const alive = {
    pid: process.pid,
    pgid: process.pid,
    startedAt: String(startTicksOf(process.pid)),
    command: 'a',
  };
  const reused = { ...alive, startedAt: '1' };
  stage.write(endedRecord('tool_left2222', { leftovers: [reused, alive] }));
  stage.write(endedRecord('tool_gone2222', { leftovers: [reused] }));

  const { processes } = await stage.state.list({ onlyLive: true });

  expect(processes.map(({ view }) => [view.id, 'leftovers' in view && view.leftovers])).toEqual([
    ['tool_left2222', [alive]],
  ]);
});

test('a process without a proven identity is not signalled', async () => {
  using stage = openQuietStage();
  const scope = readTableScope();
  const self = { pid: process.pid, pgid: process.pid, sid: 0, startedAt: '1' };
  stage.write(runningRecord('tool_reused22', { leader: { ...self, ...scope, cookie: '/tool_reused22/' } }));
  stage.write(runningRecord('tool_foreign2', { scope: { ...scope, pidNamespace: 'pid:[1]' } }));

  const answer = await stage.state.kill('tool_reused22', { signal: 'SIGKILL' });
  const refusal = await stage.state.kill('tool_foreign2').catch(({ code, message }) => `${code}: ${message}`);

  expect(answer).toMatchObject({ type: 'notRunning' });
  expect(refusal).toMatch(/^unreachable: .*out of reach of this program/);
});

test('damaged records are reported and left where they are', async () => {
  using stage = openQuietStage();
  stage.write(endedRecord('tool_whole222'));
  writeRecord(stage.path, '{"version":1,', 'tool_cut22222');
  writeRecord(stage.path, { version: 7 }, 'tool_future22');
  writeRecord(stage.path, { ...endedRecord('tool_odd22222'), view: null }, 'tool_odd22222');

  const { processes, warnings } = await stage.state.list();
  await stage.state.sweep({ all: true });

  expect(processes.map(({ view }) => view.id)).toEqual(['tool_whole222']);
  expect(warnings.toSorted()).toEqual([
    expect.stringMatching(/tool_cut22222\.json was skipped: it is not JSON/),
    expect.stringMatching(/tool_future22\.json was skipped: its version is 7; this troupe reads version 1/),
    expect.stringMatching(/tool_odd22222\.json was skipped: "view.status" is not valid in a record/),
  ]);
  expect(readdirSync(join(stage.path, 'processes')).sort()).toEqual(
    ['tool_cut22222', 'tool_future22', 'tool_odd22222'].map((id) => `${id}.json`),
  );
});

test('a list of live processes equals the live part of the full list', async () => {
  using stage = openQuietStage();
  const scope = { ...readTableScope(), pidNamespace: 'pid:[1]' };
  stage.write(runningRecord('tool_live2222', { scope }));
  stage.write(runningRecord('tool_lost2222'));
  stage.write(endedRecord('tool_ended222'));
  const { version, view, ...rest } = endedRecord('tool_first222');
  const { status, ...facts } = view;
  writeRecord(stage.path, { version, view: { status, ...facts }, ...rest }, 'tool_first222');
  writeRecord(stage.path, '{"version":1,"view":{"status":"backgrounded","id":"tool_cut', 'tool_cut22222');
  writeRecord(stage.path, '{"version":7,"view":{"status":"killed"', 'tool_future22');

  const all = await stage.state.list();
  const live = await stage.state.list({ onlyLive: true });

  expect(all.processes).toHaveLength(4);
  expect(live.processes).toEqual(all.processes.filter(({ view }) => !('endedAt' in view)));
  expect(live.processes.map(({ view }) => view.id)).toEqual(['tool_live2222']);
  expect(live.warnings).toHaveLength(2);
  expect(live.warnings.toSorted()).toEqual(all.warnings.toSorted());
});

test('a supervisor elsewhere is left alone and said to be there', async () => {
  using stage = openQuietStage();
  const scope = { ...readTableScope(), pidNamespace: 'pid:[1]' };
  mkdirSync(join(stage.path, 'supervisors'), { recursive: true });
  const entry = {
    version: 1,
    id: 'sup_dead2222',
    pid: 4,
    startedAt: '1',
    since: 1,
    role: 'program',
    socket: null,
  };
  writeFileSync(join(stage.path, 'supervisors', 'sup_dead2222.json'), JSON.stringify({ ...entry, ...scope }));
  stage.write(runningRecord('tool_foreign2', { scope }));

  const { processes, warnings } = await stage.state.list();
  await stage.state.sweep({ all: true });

  expect(processes).toMatchObject([{ view: { id: 'tool_foreign2', status: 'backgrounded' } }]);
  expect(warnings).toEqual([expect.stringContaining('sup_dead2222 is out of reach of this program')]);
  expect(createFileSupervisorRegistry({ directory: stage.path }).stateOf('sup_dead2222')).toBe('elsewhere');
});

test('sweeping takes what has ended, and a dry run says so before', async () => {
  await using stage = await openControlStage();
  const { stateDirectory: directory, state, supervisor } = stage;
  writeRecord(directory, endedRecord('tool_old22222'), 'tool_old22222');
  writeRecord(directory, endedRecord('tool_new22222', { endedAt: Date.now() }), 'tool_new22222');
  writeFileSync(join(directory, 'processes', 'tool_new22222.log'), 'x'.repeat(5_000));
  writeFileSync(join(directory, 'processes', 'tool_new22222.log.times'), '\nat 0 0 1 2\n');
  const { id } = supervisor.start({ command: 'echo moin', background: true });
  await state.wait(id);

  const old = await state.sweep();
  const dry = await state.sweep({ all: true, dryRun: true });
  const left = (await state.list()).processes.length;
  const all = await state.sweep({ all: true });

  expect(old).toMatchObject({ forgotten: 1, logsRemoved: 0 });
  expect(dry).toMatchObject({ forgotten: 2, logsRemoved: 2 });
  expect([left, all.forgotten, all.logsRemoved]).toEqual([3, 2, 2]);
  expect(Math.min(dry.freedBytes, all.freedBytes)).toBeGreaterThan(5_000);
  expect(readdirSync(join(directory, 'processes'))).toEqual([`${stage.idle.id}.json`]);
  expect((await state.list()).processes.map(({ view }) => view.id)).toEqual([stage.idle.id]);
});

test('a record without a required field is refused with its name', () => {
  const leader = { pid: 1, pgid: 1, sid: 1, startedAt: '1', bootId: null, pidNamespace: null, cookie: '/x/' };
  const whole = runningRecord('tool_whole222', { leader });
  const { view } = whole;
  const whyNot = (value: unknown) => {
    const reading = readRecord(value, 'tool_whole222');
    return reading.ok ? 'ok' : reading.why;
  };

  const ofRecord = Object.keys(whole).map((key) => whyNot({ ...whole, [key]: undefined }));
  const ofView = ['id', 'status', 'cwd', 'owner', 'attempt', 'createdAt', 'output'].map((key) =>
    whyNot({ ...whole, view: { ...view, [key]: undefined } }),
  );
  const ofLeader = ['pid', 'pgid', 'startedAt', 'bootId', 'cookie'].map((key) =>
    whyNot({ ...whole, leader: { ...leader, [key]: undefined } }),
  );
  const odd = [whole, null, [], 'text', { ...whole, view: { ...view, status: 'odd' } }].map(whyNot);

  expect(ofRecord.every((why) => /version|is not valid in a record/.test(why))).toBe(true);
  expect(ofView.every((why) => why.startsWith('"view.'))).toBe(true);
  expect(ofLeader.every((why) => why.startsWith('"leader.'))).toBe(true);
  expect(odd[0]).toBe('ok');
  expect(odd.slice(1).includes('ok')).toBe(false);
  expect(readRecord(whole, 'tool_other222')).toMatchObject({ why: 'it is the record of another process' });
});
