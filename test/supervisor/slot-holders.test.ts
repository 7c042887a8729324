import { expect, test } from 'vitest';
import { createVirtualHarness } from '../support/virtual.ts';

test('a queued start names the holders of slots of its own kind, the longest first', async () => {
  await using rig = createVirtualHarness({ maxParallelTools: 2, maxParallelAgents: 1, timeout: '2s' });
  const start = (command: string, kind: 'tool' | 'agent' = 'tool') =>
    rig.supervisor.start({ command, kind }).id;
  const first = start('first');
  rig.clock.advance(500);
  const second = start('second');
  start('agent', 'agent');
  rig.supervisor.start({ command: 'server', background: true });

  const result = rig.supervisor.execute({ command: 'late', kind: 'tool', timeout: '1s' });
  rig.clock.advance(1_000);

  const answer = await result;
  if (answer.type !== 'queued') throw new Error(`The result is ${answer.type}.`);
  expect(answer.message).toBe(
    `Process ${answer.process.id} has not started after 1s: all 2 slots for foreground commands are taken by ` +
      `${first} (first, for 1.5s), ${second} (second, for 1s). It stays queued and starts in the background when a slot is free. ` +
      `To free a slot, end one of these processes; to cancel it, kill ${answer.process.id}.`,
  );
});

test('a refused background start names at most twenty that hold its slots', async () => {
  await using rig = createVirtualHarness({ maxBackgroundProcesses: 21 });
  const start = () => rig.supervisor.start({ command: 'server', background: true }).id;
  const ids = Array.from({ length: 21 }, start);

  expect(start).toThrow(
    `Maximum background processes (21) reached: ${ids.slice(0, 20).join(', ')} and 1 more. End one of them with kill(id), ` +
      'run this in the foreground, or raise the option "maxBackgroundProcesses" (max_background_processes in an agent file, ' +
      '--max-background of troupe mcp).',
  );
});

test('a refused background start names all that hold its slots up to twenty', async () => {
  await using rig = createVirtualHarness({ maxBackgroundProcesses: 20 });
  const start = () => rig.supervisor.start({ command: 'server', background: true }).id;
  const ids = Array.from({ length: 20 }, start);

  expect(start).toThrow(`(20) reached: ${ids.join(', ')}. End one`);
});

test('without background slots the refusal names no process', async () => {
  await using rig = createVirtualHarness({ maxBackgroundProcesses: 0 });

  expect(() => rig.supervisor.start({ command: 'server', background: true })).toThrow(
    'Maximum background processes (0) reached. End one of them',
  );
});

test('a start after the shutdown is refused', async () => {
  const rig = createVirtualHarness();
  await rig[Symbol.asyncDispose]();

  expect(() => rig.supervisor.start({ command: 'x' })).toThrow(
    'The supervisor is shutting down and starts no more processes. Create another one.',
  );
});
