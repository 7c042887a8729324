import type { ChildProcess } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { BackendPort, ToldFact } from '../../../src/spawn/backend.ts';
import { runLaunched } from '../../../src/spawn/file/run-launched.ts';
import type { ProcessEntry } from '../../../src/spawn/tree/process-table.ts';
import { createTreeRegistry } from '../../../src/spawn/tree/tree-registry.ts';
import { createVirtualClock } from '../../../src/testing/virtual-clock.ts';
import { tempDir } from '../../support/os.ts';
import { createFakeTable, entry } from '../tree/entries.ts';

const launcher = entry(99, { pgid: 99, sid: 99 });
const leader = entry(100, { ppid: 99 });

/** Follows a launcher whose status file, process table and exit a test plays. */
function launch({ secrets = [] as readonly string[] } = {}) {
  const place = tempDir();
  onTestFinished(place.remove);
  const statusPath = place.file('status');
  const clock = createVirtualClock();
  const content = { entries: [launcher] as ProcessEntry[], carriers: [] as number[] };
  const facts: ToldFact[] = [];
  const child = Object.assign(new EventEmitter(), { pid: 99, unref: () => {} });
  const port = {
    ...{ clock, request: { id: 'tool_a', attempt: 1, secrets }, output: {}, keepScreen: () => {} },
    tell: (fact: ToldFact) => void facts.push(fact),
    onCommand: () => {},
  } as unknown as BackendPort;
  const deps = {
    table: createFakeTable(content),
    trees: createTreeRegistry({ prepare: () => {}, add: () => {}, remove: () => {}, exempt: () => {} }),
    reportError: (error: unknown) => {
      throw error;
    },
  };
  const cancel = runLaunched(child as unknown as ChildProcess, {
    ...{ port, deps, statusPath, stdin: null, cgroup: null },
  });
  onTestFinished(cancel);
  const pass = async (ms = 1_000) => {
    for (let left = 20; left > 0; left -= 1) {
      await setImmediate();
      clock.advance(ms / 20);
    }
  };
  return {
    ...{ content, facts, pass },
    write: (text: string) => writeFileSync(statusPath, text, { mode: 0o600 }),
    status: () => readFileSync(statusPath, 'utf8'),
    removeStatus: () => rmSync(statusPath),
    /** Ends the launcher. */
    exit: async (code: number | null, signal: string | null = null) => {
      content.entries = content.entries.filter(({ pid }) => pid !== 99);
      child.emit('exit', code, signal);
      await pass();
    },
    told: (text: string) => text.replaceAll(place.path, '<place>'),
  };
}

const started = 'launcher 1 99\nleader 1 100\n';

test('a launcher that starts nothing says what its shell said', async () => {
  const given = launch({ secrets: ['s3cret'] });
  given.write('launcher 1 99\nsh: cannot open s3cret\n');

  await given.exit(2);

  expect(given.facts.map((fact) => ('message' in fact ? given.told(fact.message ?? '') : fact))).toEqual([
    'It could not be started: the launcher ended (code 2) before it started the command. It said: sh: cannot open [redacted]. Check that <place>/status can be written and the disk is not full, then start it again.',
  ]);
});

test('a launcher that is killed before the start is named by its signal', async () => {
  const given = launch();

  await given.exit(null, 'SIGKILL');

  expect(given.facts).toEqual([
    {
      ...{ type: 'process.spawnFailed', cause: 'other', code: null },
      message: expect.stringContaining('the launcher ended (SIGKILL) before it started the command. Check'),
    },
  ]);
});

test('a leader is reported and recorded with its start time', async () => {
  const given = launch();
  given.content.entries.push(leader);
  given.write(started);

  await given.pass();

  expect(given.facts).toEqual([{ type: 'process.spawned', pid: 100, pgid: 100, held: 'lineage' }]);
  expect(given.status()).toContain('\nbegan 1 100 start-100\n');
});

test('the exit that a launcher recorded is reported after its own', async () => {
  const given = launch();
  given.content.entries.push(leader);
  given.write(started);
  await given.pass();

  given.write(`${started}exit 1 7 code\n`);
  given.content.entries.pop();
  await given.exit(7);

  expect(given.facts).toContainEqual(
    expect.objectContaining({ type: 'process.exited', exit: { code: 7, signal: null } }),
  );
});

test('an exit is unknown where its launcher was killed', async () => {
  const given = launch();
  given.content.entries.push(leader);
  given.write(started);
  await given.pass();

  await given.exit(null, 'SIGKILL');
  const factsBefore = given.facts.length;
  given.content.entries = [];
  await given.pass();

  expect(factsBefore).toBe(1);
  expect(given.facts).toContainEqual({
    type: 'process.lost',
    why: 'its exit is unknown: the launcher that would have recorded it ended first (SIGKILL)',
  });
});

test('an exit is unknown where the status file was removed', async () => {
  const given = launch();
  given.content.entries.push(leader);
  given.write(started);
  await given.pass();

  given.removeStatus();
  given.content.entries = [];
  await given.exit(0);

  expect(
    given.facts.map((fact) => (fact.type === 'process.lost' ? given.told(fact.why) : fact.type)),
  ).toContain('its exit is unknown: <place>/status, where it would be recorded, was removed or truncated');
});

test('a leader without a status file is found as the child of its launcher', async () => {
  const given = launch();
  given.content.entries.push(entry(98, { ppid: 1 }), leader);

  await given.pass();

  expect(given.facts).toMatchObject([{ type: 'process.spawned', pid: 100 }]);
});

test('a fork of a launcher without a status file leads once it runs its command', async () => {
  const given = launch();
  given.content.entries.push({ ...leader, command: launcher.command });
  await given.pass();
  const factsBefore = [...given.facts];

  given.content.entries = [launcher, leader];
  await given.pass();

  expect(factsBefore).toEqual([]);
  expect(given.facts).toMatchObject([{ type: 'process.spawned', pid: 100 }]);
});
