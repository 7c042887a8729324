import { expect, onTestFinished, test } from 'vitest';
import type { BackendCommand, WriteResult } from '../../../machines/process/events.ts';
import { createRealClock } from '../../../src/clock/real-clock.ts';
import type { SpawnRequest, ToldFact } from '../../../src/spawn/backend.ts';
import { createPipeBackend } from '../../../src/spawn/pipe/pipe-backend.ts';
import { createCurrentTable } from '../../../src/spawn/tree/current-table.ts';
import type { ProcessTable } from '../../../src/spawn/tree/process-table.ts';
import { createTreeRegistry } from '../../../src/spawn/tree/tree-registry.ts';
import { endBy } from '../../support/orders.ts';
import { carriers, endAll, isAlive, waitUntil } from '../../support/os.ts';
import { createMemoryLog } from '../../support/output-logs.ts';

const tooMany = new Error('EMFILE: too many open files');

/** Runs `script` with a process table whose `read` is replaced. */
function play(script: string, read: (real: ProcessTable) => ProcessTable['read']) {
  const table = createCurrentTable();
  const errors: unknown[] = [];
  const facts: ToldFact[] = [];
  const clock = createRealClock();
  const id = `tool_control_${Math.random().toString(36).slice(2, 8)}`;
  const request: SpawnRequest = {
    id,
    attempt: 1,
    work: { type: 'shell', shell: '/bin/sh', script },
    cwd: '/',
    env: { PATH: process.env['PATH'] ?? '', TROUPE_LINEAGE: `/sup_control/${id}/` },
    stdin: 'pipe',
    files: null,
    outlives: false,
    terminal: null,
    limits: null,
    secrets: [],
  };
  const backend = createPipeBackend({
    table: { ...table, read: read(table) },
    trees: createTreeRegistry({ prepare: () => {}, add: () => {}, remove: () => {}, exempt: () => {} }),
    reportError: (error) => errors.push(error),
  });
  let listener: (command: BackendCommand) => void = () => {};
  const cancel = backend.run({
    request,
    output: createMemoryLog({ clock, maxBufferBytes: 64 * 1024, headBytes: 1024 }),
    clock,
    keepScreen: () => {},
    tell: (fact) => facts.push(fact),
    onCommand: (given) => {
      listener = given;
    },
  });
  onTestFinished(async () => {
    cancel();
    backend.close?.();
    await endAll([], `/${id}/`);
  });
  const spawned = facts.find((fact) => fact.type === 'process.spawned');
  const told = (type: ToldFact['type']) => facts.filter((fact) => fact.type === type).length;
  return {
    errors,
    told,
    pid: spawned?.pid ?? 0,
    alive: () => carriers(`/${id}/`),
    send: (command: BackendCommand) => listener(command),
    until: (type: ToldFact['type']) => waitUntil(() => told(type) > 0, { what: `${type} is reported` }),
  };
}

test.for([
  ['cannot be read', () => Promise.reject(tooMany)],
  ['is not seen', () => Promise.resolve(null)],
] as const)('a leader that %s can still be ended', async ([, read]) => {
  const given = play('trap "" TERM; while :; do sleep 1; done', () => read);
  await waitUntil(() => given.alive().length > 1);

  given.send(endBy('SIGTERM'));
  await turns();
  expect(isAlive(given.pid)).toBe(true);
  expect(given.told('tree.gone')).toBe(0);
  given.send(endBy('SIGKILL'));
  await given.until('tree.gone');

  expect(isAlive(given.pid)).toBe(false);
  expect(given.told('tree.gone')).toBe(1);
  await waitUntil(() => given.alive().length === 0);
});

test('an unreadable process table is reported and read again', async () => {
  let looks = 0;
  const given = play('setsid sleep 600 & exec sleep 600', ({ read }) => async (pid) => {
    looks += 1;
    if (looks === 1) throw tooMany;
    return read(pid);
  });
  await waitUntil(() => given.alive().length === 2);

  given.send(endBy('SIGTERM'));
  await given.until('tree.gone');

  expect(given.errors).toEqual([tooMany]);
  expect(given.alive()).toEqual([]);
});

test('a leader that could not be identified ends by its own exit', async () => {
  const given = play('exit 0', () => () => Promise.reject(tooMany));
  await given.until('process.exited');

  given.send({ type: 'tree.survey' });
  await given.until('tree.surveyed');
  given.send(endBy('SIGTERM'));
  await given.until('tree.gone');

  expect(given.errors).toContain(tooMany);
});

test('a write that breaks is answered', async () => {
  const given = play('exec sleep 600', ({ read }) => read);

  const answer = await new Promise<WriteResult>((reply) => {
    given.send({ type: 'process.write', data: null as unknown as Uint8Array, reply });
  });

  expect(answer).toMatchObject({ ok: false, bytesWritten: 0 });
});

/** Time in which an unexpected fact would be reported. */
async function turns(): Promise<void> {
  for (let left = 10; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
}

test('a leftover without output can be looked at for ever', async () => {
  const warnings: Error[] = [];
  const note = (warning: Error) => void warnings.push(warning);
  process.on('warning', note);
  onTestFinished(() => void process.removeListener('warning', note));
  const given = play('sleep 1000 >/dev/null 2>&1 &', (real) => real.read);
  await given.until('process.exited');
  await given.until('output.ended');

  for (let looks = 1; looks <= 20; looks += 1) {
    given.send({ type: 'tree.survey' });
    await waitUntil(() => given.told('tree.surveyed') === looks);
  }
  await turns();

  expect(given.alive()).toHaveLength(1);
  expect(warnings).toEqual([]);
});
