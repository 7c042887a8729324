import { expect, test } from 'vitest';
import type { WriteResult } from '../../../machines/process/events.ts';
import { encodeKeys } from '../../../src/spawn/terminal/encode-keys.ts';
import { parseKeys } from '../../../src/spawn/terminal/parse-keys.ts';
import { pressKeys, toPauseMs } from '../../../src/spawn/terminal/press-keys.ts';
import { createVirtualClock } from '../../../src/testing/index.ts';
import { waitUntil } from '../../support/os.ts';

function press(
  names: string[],
  write: (bytes: Uint8Array) => WriteResult = (bytes) => ({ ok: true, bytesWritten: bytes.length }),
) {
  const clock = createVirtualClock();
  const startMs = clock.nowMs();
  const sent: { text: string; atMs: number }[] = [];
  const parsed = parseKeys(names);
  if (!parsed.ok) throw new Error(parsed.error);
  let result: WriteResult | null = null;
  const modes = { applicationCursor: false, bracketedPaste: false };
  void pressKeys(parsed.strokes, {
    press: async (stroke) => {
      if (stroke.type === 'paste') throw new Error('nothing is pasted here');
      const text = encodeKeys(stroke, modes);
      sent.push({ text, atMs: clock.nowMs() - startMs });
      return write(Buffer.from(text));
    },
    clock,
  }).then((given) => {
    result = given;
  });
  const ended = () =>
    waitUntil(() => {
      clock.advance(5);
      return result;
    });
  return { clock, sent, modes, ended };
}

test('each key gets time before the next', async () => {
  const { sent, ended } = press(['a', 'Down', 'b']);

  const result = await ended();

  expect(result).toEqual({ ok: true, bytesWritten: 5 });
  expect(sent.map(({ text }) => text)).toEqual(['a', '\x1b[B', 'b']);
  expect((sent[1]?.atMs ?? 0) - (sent[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(10);
});

test('a key after Escape is not taken for Alt', async () => {
  const { clock, sent, ended } = press(['Escape', 'O', 'C-[']);

  await ended();

  expect((sent[1]?.atMs ?? 0) - (sent[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(150);
  expect(clock.nowMs() - (sent[2]?.atMs ?? 0)).toBeGreaterThanOrEqual(150);
});

test('modes are read again for each key', async () => {
  const { sent, modes, ended } = press(['Up', 'Up']);
  await waitUntil(() => sent.length === 1);

  modes.applicationCursor = true;
  await ended();

  expect(sent.map(({ text }) => text)).toEqual(['\x1b[A', '\x1bOA']);
});

test('pressing keys ends at the first that fails', async () => {
  let count = 0;
  const { sent, ended } = press(['a', 'b', 'c'], () => {
    count += 1;
    return count === 1
      ? { ok: true, bytesWritten: 1 }
      : { ok: false, bytesWritten: 0, code: 'notReading', error: 'it does not read.' };
  });

  const result = await ended();

  expect(result).toEqual({ ok: false, bytesWritten: 1, code: 'notReading', error: 'it does not read.' });
  expect(sent).toHaveLength(2);
});

test.each([
  ['Escape', 250],
  ['M-Escape', 250],
  ['C-[', 250],
  ['C-3', 250],
  ['[', 10],
  ['3', 10],
  ['C-c', 10],
  ['Enter', 10],
])('the pause after %s is %i ms', (name, pauseMs) => {
  const parsed = parseKeys([name]);

  expect(parsed.ok && parsed.strokes.map(toPauseMs)).toEqual([pauseMs]);
});

test('the pause after a text or a paste is that of a key', () => {
  expect(toPauseMs({ type: 'text', text: '[' })).toBe(10);
  expect(toPauseMs({ type: 'paste', text: '[' })).toBe(10);
});
