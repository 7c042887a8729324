import { expect, test } from 'vitest';
import { createRealClock } from '../../src/clock/real-clock.ts';
import type { Clock } from '../../src/index.ts';
import { isAlive, waitUntil } from '../support/os.ts';
import { openRealHarness } from '../support/real.ts';

/** Real time, so many times faster. */
function createFastClock(factor: number): Clock {
  const real = createRealClock();
  return {
    nowMs: () => real.nowMs() * factor,
    epochMs: () => real.epochMs(),
    at: (atMs, callback, options) => real.at(atMs / factor, callback, options),
  };
}

test('a read without input ends at once', async () => {
  await using stage = openRealHarness();

  const handle = stage.supervisor.start({ command: 'read answer || exit 7', background: true });

  expect(await handle.ended).toMatchObject({ status: 'failed', exit: { code: 7 } });
});

test('input is written, read back and ended', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({ command: ['cat'], stdin: 'pipe', background: true });

  const first = await handle.writeLine('ping');
  await waitUntil(() => handle.read().text === 'ping\n');
  const second = await handle.write(Buffer.from('zürich'));
  const end = await handle.endInput();
  const view = await handle.ended;

  expect(first).toEqual({ ok: true, bytesWritten: 5 });
  expect(second).toEqual({ ok: true, bytesWritten: 7 });
  expect(end.ok).toBe(true);
  expect(view.status).toBe('completed');
  expect(handle.read().text).toBe('ping\nzürich');
});

test('input that was not asked for is refused', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({ command: ['sleep', '100'], background: true });

  expect(await handle.write('x')).toEqual({
    ok: false,
    bytesWritten: 0,
    code: 'noInput',
    error: 'It was started without input: start it with stdin: "pipe".',
  });
});

test('a write to what has ended is a result', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({ command: ['true'], stdin: 'pipe' });
  await handle.ended;

  expect(await handle.write('x')).toMatchObject({
    ok: false,
    bytesWritten: 0,
    error: expect.stringContaining('completed'),
  });
  expect(await handle.endInput()).toMatchObject({ ok: false });
});

test('a write to what closed its input is a result', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({
    command: 'exec 0<&-; echo closed; exec sleep 100',
    stdin: 'pipe',
    background: true,
  });
  await waitUntil(() => handle.read().text === 'closed\n');

  const answers = [await handle.write('x'), await handle.write('y'), await handle.endInput()];

  for (const answer of answers) expect(answer).toMatchObject({ ok: false, bytesWritten: 0 });
  expect(handle.status).toBe('backgrounded');
});

test('a write to what ends meanwhile is answered', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({ command: ['head', '-c', '100000'], stdin: 'pipe' });

  const answer = await handle.write(Buffer.alloc(5 * 1024 * 1024, 'x'));

  expect(answer.ok).toBe(false);
  expect(answer.bytesWritten).toBeLessThan(5 * 1024 * 1024);
  expect((await handle.ended).output.bytes).toBe(100_000);
});

test('a write to a program that does not read is given up', async () => {
  await using stage = openRealHarness({
    clock: createFastClock(5),
    maxBackgroundTime: 0,
    notifyAfterSilence: 0,
  });
  const handle = stage.supervisor.start({ command: ['sleep', '100'], stdin: 'pipe', background: true });
  const view = handle.view();
  const pid = 'pid' in view && view.pid !== null ? view.pid : 0;

  const writing = handle.write(Buffer.alloc(5 * 1024 * 1024, 'x'));
  const waiting = handle.write('after it');
  const answer = await writing;
  expect(isAlive(pid)).toBe(true);
  const killed = await handle.kill();

  expect(answer).toMatchObject({
    ok: false,
    error: expect.stringMatching(/^It has not read its input for 10 s\./),
  });
  // What the system keeps for a reader that may come: the size of a pipe, or of a socket where there is none.
  expect(answer.bytesWritten).toBeGreaterThan(0);
  expect(answer.bytesWritten).toBeLessThan(5 * 1024 * 1024);
  expect(await waiting).toMatchObject({ ok: false, bytesWritten: 0 });
  expect(killed.type).toBe('killed');
  expect(isAlive(pid)).toBe(false);
});

test('a kill does not wait for a write', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({ command: ['sleep', '100'], stdin: 'pipe', background: true });
  const writing = handle.write(Buffer.alloc(1024 * 1024));

  const killed = await handle.kill();

  expect(killed.type).toBe('killed');
  expect(await writing).toMatchObject({ ok: false });
});

test('writes arrive in order and whole', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({ command: ['cat'], stdin: 'pipe', maxBufferBytes: 8 * 1024 * 1024 });
  const parts = Array.from({ length: 40 }, (_, index) => `${index}:${'x'.repeat(50_000)}\n`);

  const answers = await Promise.all([...parts.map((part) => handle.write(part)), handle.endInput()]);
  await handle.ended;

  expect(answers.every(({ ok }) => ok)).toBe(true);
  expect(handle.read({ maxBytes: 8 * 1024 * 1024, format: 'raw' }).text).toBe(parts.join(''));
});
