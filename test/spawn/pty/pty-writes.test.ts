import { expect, test, vi } from 'vitest';
import type { PtyChild } from '../../../src/spawn/pty/pty-child.ts';
import { createPtyInput } from '../../../src/spawn/pty/pty-input.ts';
import { createVirtualClock } from '../../../src/testing/index.ts';

/** A child whose terminal takes so many bytes at each try, then none. */
function arrange(takes: (bytes: Uint8Array) => number) {
  const clock = createVirtualClock();
  const tryWrite = vi.fn(takes);
  const child = { isOpen: true, tryWrite };
  const input = createPtyInput(child as unknown as PtyChild, clock);
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 1) {
      clock.advance(1);
      await new Promise(setImmediate);
    }
  };
  return { clock, child, tryWrite, input, pass };
}

test('input is written in pieces of 4 KiB', async () => {
  const { tryWrite, input } = arrange(({ byteLength }) => byteLength);

  expect(await input.write(new Uint8Array(10_000))).toEqual({ ok: true, bytesWritten: 10_000 });

  expect(tryWrite.mock.calls.map(([{ byteLength }]) => byteLength)).toEqual([4_096, 4_096, 1_808]);
});

test('input is given up ten seconds after the program has last read', async () => {
  let room = 5;
  const { clock, input } = arrange(() => {
    const taken = room;
    room = 0;
    return taken;
  });
  const answered = vi.fn();
  void input.write(new Uint8Array(100)).then(answered);
  const pass = async (ms: number) => {
    for (let left = ms; left > 0; left -= 100) {
      clock.advance(100);
      await new Promise(setImmediate);
    }
  };

  await pass(6_000);
  room = 7;
  await pass(9_900);
  expect(answered).not.toHaveBeenCalled();
  await pass(300);

  const error = 'It has not read what is typed for 10 s.';
  expect(answered).toHaveBeenCalledWith({ ok: false, bytesWritten: 12, code: 'notReading', error });
});

test('looks for room become more seldom, up to 20 ms apart', async () => {
  const { clock, tryWrite, input, pass } = arrange(() => 0);
  void input.write(new Uint8Array(1));
  const times: number[] = [];
  tryWrite.mockImplementation(() => {
    times.push(clock.nowMs());
    return 0;
  });

  await pass(100);

  expect(times.map((time) => time - (times[0] ?? 0))).toEqual([0, 1, 3, 7, 15, 31, 51, 71, 91]);
});

test.each([
  ['EIO', 'closed', 'Its terminal is closed: no process holds it.'],
  ['EBADF', 'broken', 'The input could not be written: EBADF.'],
])('a write that fails with %s is %s', async (code, refusal, error) => {
  const { input } = arrange(() => {
    throw Object.assign(new Error(code), { code });
  });

  expect(await input.write(new Uint8Array(1))).toEqual({ ok: false, bytesWritten: 0, code: refusal, error });
  // Answers of the terminal itself are lost then.
  expect(() => input.answer('a')).not.toThrow();
});

test('a terminal of an ended process takes nothing', async () => {
  const { child, tryWrite, input } = arrange(() => 1);
  child.isOpen = false;

  expect(await input.write(new Uint8Array(1))).toEqual({
    ...{ ok: false, bytesWritten: 0, code: 'closed' },
    error: 'Its terminal is closed: the process has ended.',
  });
  expect(tryWrite).not.toHaveBeenCalled();
});

test('writes that belong together are not mixed with others', async () => {
  const { tryWrite, input } = arrange(({ byteLength }) => byteLength);

  const together = input.enqueue(async (write) => {
    await write(new Uint8Array(1));
    return write(new Uint8Array(2));
  });
  await Promise.all([together, input.write(new Uint8Array(3))]);

  expect(tryWrite.mock.calls.map(([{ byteLength }]) => byteLength)).toEqual([1, 2, 3]);
});
