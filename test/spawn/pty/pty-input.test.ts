import { existsSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../../src/clock/clock.ts';
import { loadNativePty } from '../../../src/spawn/pty/native-pty.ts';
import { startPtyChild } from '../../../src/spawn/pty/pty-child.ts';
import { createPtyInput } from '../../../src/spawn/pty/pty-input.ts';
import { createVirtualClock } from '../../../src/testing/index.ts';
import { endAll, tempDir, waitUntil } from '../../support/os.ts';

/** Starts a real child in a terminal without echo, which prints `up` first. */
async function arrange(script: string, clock: Clock) {
  const native = loadNativePty();
  if ('why' in native) throw new Error(native.why);
  const id = `tool_input_${Math.random().toString(36).slice(2, 10)}`;
  const env = { PATH: process.env['PATH'] ?? '', TROUPE_LINEAGE: `/${id}/` };
  let hasExited = false;
  const child = startPtyChild(
    { file: '/bin/sh', args: ['-c', `stty raw -echo; echo up; ${script}`] },
    { env, cwd: '/', native, size: { columns: 80, rows: 24 } },
  );
  if (child instanceof Error) throw child;
  void child.exited.then(() => {
    hasExited = true;
  });
  onTestFinished(() => endAll([], `/${id}/`));
  let printed = '';
  child.read({
    onBytes: (bytes) => {
      printed += bytes.toString();
    },
    onClosed: () => {},
  });
  await waitUntil(() => printed.includes('up'));
  return {
    child,
    input: createPtyInput(child, clock),
    printed: () => printed.replace('up\n', ''),
    ended: () => waitUntil(() => hasExited && !child.isOpen),
  };
}

/** Advances the clock until the promise is settled, at least as fast as real time. */
async function settle<T>(
  clock: ReturnType<typeof createVirtualClock>,
  promise: Promise<T>,
  stepMs = 5,
): Promise<T> {
  let settled = false;
  void promise.finally(() => {
    settled = true;
  });
  await waitUntil(() => {
    clock.advance(stepMs);
    return settled;
  });
  return promise;
}

test('unread input is given up and counted to the byte', async () => {
  const directory = tempDir();
  onTestFinished(() => directory.remove());
  const clock = createVirtualClock();
  const sign = directory.file('sign');
  const { input, printed } = await arrange(
    // cat ends once nothing has come for two seconds, which the terminal counts only while cat reads.
    `while ! test -e ${sign}; do sleep 0.02; done; stty min 0 time 20; cat | wc -c; echo counted`,
    clock,
  );
  const startMs = clock.nowMs();

  const result = await settle(clock, input.write(Buffer.alloc(5_000_000, 'x')), 100);
  const waitedMs = clock.nowMs() - startMs;
  writeFileSync(sign, '');
  await waitUntil(() => printed().includes('counted'));

  expect(existsSync(sign)).toBe(true);
  expect(result).toMatchObject({ ok: false, code: 'notReading' });
  expect(result.bytesWritten).toBeGreaterThan(1_000);
  expect(result.bytesWritten).toBeLessThan(200_000);
  expect(waitedMs).toBeGreaterThanOrEqual(10_000);
  expect(Number.parseInt(printed(), 10)).toBe(result.bytesWritten);
});

test('a slow reader gets all input', async () => {
  const clock = createVirtualClock();
  const { input, printed } = await arrange('head -c 300000 | wc -c', clock);

  const result = await settle(clock, input.write(Buffer.alloc(300_000, 'x')));
  await waitUntil(() => /\d\n/.test(printed()));

  expect(result).toEqual({ ok: true, bytesWritten: 300_000 });
  expect(Number.parseInt(printed(), 10)).toBe(300_000);
});

test('writes do not mix in any order', async () => {
  const clock = createVirtualClock();
  const { input, printed } = await arrange('head -c 9', clock);

  const order = input.enqueue(async (write) => {
    await write(Buffer.from('abc'));
    await new Promise((resolve) => setTimeout(resolve, 20));
    return write(Buffer.from('def'));
  });
  const write = input.write(Buffer.from('ghi'));
  await settle(clock, Promise.all([order, write]));

  await waitUntil(() => printed() === 'abcdefghi', {
    what: () => `abcdefghi instead of ${printed()}`,
  });
});

test('a write that breaks stops none after it', async () => {
  const clock = createVirtualClock();
  const { input, printed } = await arrange('head -c 3', clock);

  const broken = input.enqueue(async () => {
    throw new Error('broken');
  });
  const write = input.write(Buffer.from('abc'));

  await expect(broken).rejects.toThrow('broken');
  expect(await settle(clock, write)).toEqual({ ok: true, bytesWritten: 3 });
  await waitUntil(() => printed() === 'abc');
});

test('a closed terminal is a result', async () => {
  const clock = createVirtualClock();
  const { input, child, ended } = await arrange('exit 0', clock);
  await ended();

  input.answer('too late');
  const result = await input.write(Buffer.from('x'));

  expect(child.isOpen).toBe(false);
  expect(result).toMatchObject({ ok: false, bytesWritten: 0, code: 'closed' });
});
