import { expect, test } from 'vitest';
import { startGroup } from '../../src/groups/create-group.ts';
import { findFreePort, holdPort } from '../readiness/rig.ts';
import { isAlive, startTicksOf, waitUntil } from '../support/os.ts';
import { openRealHarness } from '../support/real.ts';

const withinMs = 30_000;
const timeout = 90_000;

const pidOf = (view: { readonly pid?: unknown } | undefined): number => Number(view?.pid);

const server = `require('http').createServer((_, answer) => answer.end()).listen(Number(process.argv[1]), '127.0.0.1')`;

test('a server and its client start, fall and stop together', { timeout }, async () => {
  await using stage = openRealHarness({ stateDirectory: false });
  const port = await findFreePort();
  const restart = { policy: 'transient', minBackoff: 20 } as const;
  const group = startGroup(stage.supervisor, {
    strategy: 'restForOne',
    processes: {
      server: {
        command: [process.execPath, '-e', server, String(port)],
        ready: { http: `http://localhost:${port}/` },
        restart,
      },
      client: {
        command: 'touch client.up; exec sleep 1000',
        ready: { file: 'client.up' },
        dependsOn: ['server'],
        restart,
      },
    },
  });
  const readiness = await group.ready();
  const pids = () => group.names.map((name) => pidOf(group.get(name)?.view() as { pid?: number }));
  const first = pids();
  const firstTicks = first.map(startTicksOf);

  process.kill(first[0] ?? Number.NaN, 'SIGKILL');
  await waitUntil(() => group.names.every((name) => (group.get(name)?.view().attempt ?? 0) === 2), {
    withinMs,
  });
  await waitUntil(() => pids().every(isAlive), { withinMs });
  const second = pids();
  const secondTicks = second.map(startTicksOf);
  const report = await group.stop();

  expect(readiness.message).toBe('all 2 are ready');
  expect(second.every((pid, index) => pid !== first[index] || secondTicks[index] !== firstTicks[index])).toBe(
    true,
  );
  expect(report.members.map(({ name, answer }) => `${name} ${answer.type}`)).toEqual([
    'client killed',
    'server killed',
  ]);
  expect([...first, ...second].filter(isAlive)).toEqual([]);
});

test('a taken port keeps the dependants from starting', { timeout }, async () => {
  await using stage = openRealHarness({ stateDirectory: false });
  const port = await holdPort('127.0.0.1');
  const group = startGroup(stage.supervisor, {
    processes: {
      server: { command: 'exec sleep 1000', ready: { port } },
      client: { command: 'exec sleep 1000', dependsOn: ['server'] },
    },
  });

  const readiness = await group.ready();

  expect(readiness.members.map(({ state }) => state)).toEqual(['failed', 'notStarted']);
  expect(readiness.message).toMatch(`port ${port} is held by another process, pid ${process.pid} (`);
});
