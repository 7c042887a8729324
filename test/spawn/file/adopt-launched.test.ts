import { utimesSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { BackendCommand } from '../../../machines/process/events.ts';
import type { BackendPort, ToldFact } from '../../../src/spawn/backend.ts';
import { adoptLaunched } from '../../../src/spawn/file/adopt-launched.ts';
import type { ProcessIdentity } from '../../../src/spawn/tree/identity.ts';
import type { ProcessEntry } from '../../../src/spawn/tree/process-table.ts';
import { createTreeRegistry } from '../../../src/spawn/tree/tree-registry.ts';
import { createVirtualClock } from '../../../src/testing/virtual-clock.ts';
import { tempDir } from '../../support/os.ts';
import { createFakeTable, entry, leaderIdentity } from '../tree/entries.ts';

/** Adopts a process with this status file and process table. */
async function adopt({
  status = '',
  entries = [] as ProcessEntry[],
  carriers = [] as number[],
  leader = undefined as ProcessIdentity | undefined,
  startedAtMs = undefined as number | undefined,
  /** Age of the status file in milliseconds. */
  ageMs = 0,
} = {}) {
  const place = tempDir();
  onTestFinished(place.remove);
  const statusPath = place.file('status');
  writeFileSync(statusPath, status, { mode: 0o600 });
  const clock = createVirtualClock();
  const writtenAt = new Date(clock.epochMs() - ageMs);
  utimesSync(statusPath, writtenAt, writtenAt);
  const content = { entries, carriers };
  const facts: ToldFact[] = [];
  let send: (command: BackendCommand) => void = () => {};
  const cancel = adoptLaunched({
    port: {
      ...{ clock, output: {}, keepScreen: () => {} },
      request: { id: 'tool_a', attempt: 1, secrets: [], files: { status: statusPath } },
      ...(leader !== undefined && { leader }),
      ...(startedAtMs !== undefined && { startedAtMs }),
      tell: (fact: ToldFact) => void facts.push(fact),
      onCommand: (listener: typeof send) => {
        send = listener;
      },
    } as unknown as BackendPort,
    deps: {
      table: createFakeTable(content),
      trees: createTreeRegistry({ prepare: () => {}, add: () => {}, remove: () => {}, exempt: () => {} }),
      reportError: (error) => {
        throw error;
      },
    },
    statusPath,
  });
  onTestFinished(cancel);
  const pass = async (ms: number) => {
    for (let passedMs = 0; passedMs <= ms; passedMs += 50) {
      for (let left = 5; left > 0; left -= 1) await setImmediate();
      clock.advance(50);
    }
  };
  await pass(100);
  return {
    clock,
    content,
    facts,
    statusPath,
    pass,
    send: (command: object) => send(command as BackendCommand),
  };
}

const launched = '\nlauncher 1 99\n\nleader 1 100\n';
const running = entry(100, { ppid: 99 });
const adopted = { type: 'process.adopted', pid: 100, pgid: 100, isPaused: false };
const exited = (code: number, exitedAtMs: number | null = null) => ({
  type: 'process.exited',
  exit: { code, signal: null },
  facts: { cpuMs: null, peakMemoryBytes: null, readBytes: null, writtenBytes: null },
  exceeded: null,
  exitedAtMs,
});
const ended = { type: 'output.ended' };

test('an adopted process is followed to its exit', async () => {
  const { facts, content, statusPath, pass } = await adopt({
    status: launched,
    entries: [running],
    startedAtMs: -7,
  });
  expect(facts).toMatchObject([{ ...adopted, startedAtMs: -7 }]);

  writeFileSync(statusPath, `${launched}\nexit 1 3\n`);
  content.entries = [];
  await pass(1_500);

  expect(facts.slice(1)).toEqual([exited(3), ended]);
});

test('a process that ended meanwhile is adopted with its exit and the time of the exit', async () => {
  const { facts } = await adopt({ status: `${launched}\nexit 1 0\n`, ageMs: 60_000 });

  expect(facts).toMatchObject([adopted, exited(0, -60_000), ended]);
});

test('an exit in the future counts as now', async () => {
  const { facts } = await adopt({ status: `${launched}\nexit 1 0\n`, ageMs: -60_000 });

  expect(facts).toMatchObject([adopted, exited(0, 0), ended]);
});

const lost = (why: string) => ({ type: 'process.lost', why });

test('a process without an exit is lost where its launcher is gone', async () => {
  const { facts, content, pass } = await adopt({ status: launched, entries: [running] });

  content.entries = [];
  await pass(1_500);

  expect(facts.slice(1)).toEqual([
    lost('its exit is unknown: the launcher that would have recorded it ended first'),
    ended,
  ]);
});

test('a process that ended before with its launcher is lost', async () => {
  const { facts } = await adopt({ status: launched });

  expect(facts.slice(1)).toEqual([
    lost('it ended while no supervisor was running, and its launcher ended before it recorded the exit'),
    ended,
  ]);
});

test.each([
  ['', undefined, 'it had not been started when its supervisor ended'],
  ['\nlauncher 1 99\n', undefined, 'its start was interrupted by the end of its supervisor'],
])('a process without a leader is lost in time (%#)', async (status, leader, why) => {
  const { facts } = await adopt({ status, leader });

  expect(facts).toEqual([lost(why)]);
});

test('a recorded leader that is gone may have lost its file', async () => {
  const { facts, statusPath } = await adopt({ leader: leaderIdentity });

  expect(facts).toEqual([
    lost(`it had not been started when its supervisor ended, or ${statusPath} was removed or truncated`),
  ]);
});

test('a carrier of the id may still become the leader, for a second', async () => {
  const { facts, pass } = await adopt({ entries: [entry(500)], carriers: [500] });
  expect(facts).toEqual([]);

  await pass(700);
  expect(facts).toEqual([]);
  await pass(300);

  expect(facts).toEqual([lost('it had not been started when its supervisor ended')]);
});

test('a recorded leader leads where its file was removed', async () => {
  const { facts, content, statusPath, pass } = await adopt({ entries: [entry(100)], leader: leaderIdentity });
  expect(facts).toMatchObject([adopted]);

  content.entries = [];
  await pass(1_500);

  expect(facts.slice(1)).toEqual([
    lost(`its exit is unknown: ${statusPath}, where it would be recorded, was removed or truncated`),
    ended,
  ]);
});

test('an exit proves that a recorded leader led', async () => {
  const { facts } = await adopt({ status: '\nexit 1 4\n', leader: leaderIdentity });

  expect(facts).toMatchObject([adopted, exited(4, 0), ended]);
});

test('the input of an adopted process is closed', async () => {
  const { send, pass } = await adopt({ status: launched, entries: [running] });
  const answers: unknown[] = [];

  send({ type: 'process.write', data: Buffer.from('x'), reply: (answer: unknown) => answers.push(answer) });
  await pass(0);

  expect(answers).toEqual([
    {
      ...{ ok: false, bytesWritten: 0, code: 'closed' },
      error: 'Its input is closed: it ended with the supervisor that started it.',
    },
  ]);
});

test('output ends once the leftovers of an ended leader are gone', async () => {
  const { facts, content, pass } = await adopt({
    status: `${launched}\nexit 1 0\n`,
    entries: [entry(101, { pgid: 101, sid: 101 })],
    carriers: [101],
  });
  expect(facts.map(({ type }) => type)).toEqual(['process.adopted', 'process.exited']);

  content.entries = [];
  await pass(1_100);

  expect(facts.at(-1)).toEqual(ended);
});
