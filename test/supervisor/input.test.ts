import { expect, test } from 'vitest';
import { createSupervisor } from '../../src/index.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

test('input reaches a real process, whose stdin then ends', async () => {
  await using supervisor = createSupervisor({ stateDirectory: false });
  const megabytes = ReadableStream.from(
    (function* () {
      for (let count = 0; count < 64; count += 1) yield 'x'.repeat(64 * 1024);
    })(),
  );

  const text = await supervisor.execute({ command: ['cat'], input: 'tea\n' });
  const counted = await supervisor.execute({ command: ['wc', '-c'], input: megabytes });

  expect(text).toMatchObject({ exitCode: 0, stdout: 'tea\n' });
  expect(counted).toMatchObject({ exitCode: 0, output: expect.stringContaining(String(4 * 1024 * 1024)) });
});

test('a process that does not read its input ends as usual, and the stream is cancelled', async () => {
  await using supervisor = createSupervisor({ stateDirectory: false });
  const cancelled = Promise.withResolvers<void>();
  const endless = new ReadableStream<string>({
    pull: (controller) => controller.enqueue('x'.repeat(64 * 1024)),
    cancel: () => cancelled.resolve(),
  });

  const result = await supervisor.execute({ command: ['true'], input: endless });
  await cancelled.promise;

  expect(result).toMatchObject({ exitCode: 0 });
});

test('input gives its process a pipe as stdin', async () => {
  await using rig = createVirtualHarness();
  rig.supervisor.start({ command: 'read', input: 'all of it' });
  await turn();

  expect(rig.run(0).input).toBe('all of it');
  expect(rig.run(0).request.stdin).toBe('pipe');
});

test('a failing stream kills its process, and the timeline has the error', async () => {
  await using rig = createVirtualHarness();
  const input = new ReadableStream<string>({
    start: (controller) => controller.error(new Error('disk gone')),
  });
  const handle = rig.supervisor.start({ command: 'load', input });

  const end = await handle.ended;

  expect(end).toMatchObject({ status: 'killed', reason: { by: 'supervisor', signal: 'SIGTERM' } });
  expect(handle.timeline()).toContainEqual(
    expect.objectContaining({ type: 'input.failed', detail: 'disk gone' }),
  );
});

test('a restarted process reads its text again', async () => {
  await using rig = createVirtualHarness();
  rig.supervisor.start({
    command: 'read',
    input: 'again',
    restart: { policy: 'permanent', minBackoff: '1s' },
  });
  await turn();
  rig.run(0).exit();
  await turn();
  rig.clock.advance(1_000);
  await turn();

  expect(rig.run(1).input).toBe('again');
});

const stream = () => new ReadableStream<string>();

test.each([
  ['stdin', { input: 'x', stdin: 'pipe' }, /Leave "stdin" out/],
  ['a terminal', { input: 'x', interactive: true }, /Leave "interactive" out/],
  ['a stream that is restarted', { input: stream(), restart: { policy: 'permanent' } }, /read only once/],
  ['a stream that may be joined', { input: stream(), onDuplicate: 'join' }, /cannot be compared/],
  ['a number', { input: 7 }, /"input" is 7; expected text, bytes/],
])('input with %s is refused', async (_, options, message) => {
  await using rig = createVirtualHarness();

  expect(() => rig.supervisor.start({ command: 'x', ...(options as object) })).toThrow(message);
  expect(rig.backend.runs).toHaveLength(0);
});

test('a process with other input is no duplicate', async () => {
  await using rig = createVirtualHarness();
  const start = (input: string) =>
    rig.supervisor.start({ command: 'load', background: true, onDuplicate: 'join', input });

  const [first, same, other] = [start('a'), start('a'), start('b')];

  expect(same).toBe(first);
  expect(other).not.toBe(first);
});
