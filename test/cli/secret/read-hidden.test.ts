import { emitKeypressEvents } from 'node:readline';
import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { readHidden } from '../../../src/cli/secret/ask-secret.ts';

function arrange() {
  const input = new PassThrough();
  emitKeypressEvents(input);
  const unwanted = new AbortController();
  return { input, unwanted, typed: readHidden(input, unwanted.signal) };
}

test.each([
  ['what is typed', 'pä55 wörd\r', 'pä55 wörd'],
  ['no key that is no text', 'a\x1b[Ab\x1b[3~\x1bOPc\td\x01\r', 'abcd'],
  ['not what was taken back', 'ab\x7fc😀\x7f\r', 'ac'],
  ['not what was wiped', 'wrong\x15right\n', 'right'],
  ['nothing after Ctrl-C', 'ab\x03c\r', null],
  ['nothing after Ctrl-D', 'ab\x04c\r', null],
])('a hidden line is %s', async (_what, keys, line) => {
  const { input, typed } = arrange();

  input.write(keys);

  expect(await typed).toBe(line);
});

test('an aborted hidden line returns null', async () => {
  const { input, unwanted, typed } = arrange();
  input.write('half');

  unwanted.abort();

  expect(await typed).toBeNull();
});

test('others hear nothing that was pasted with a hidden line', async () => {
  const input = new PassThrough();
  emitKeypressEvents(input);
  const other = vi.fn();
  input.on('keypress', other);
  const typed = readHidden(input, new AbortController().signal);

  input.write('secret\r\nsecond line\r\nrest');
  await typed;
  input.write('x');

  await vi.waitFor(() => expect(other.mock.calls.map(([text]) => text)).toEqual(['x']));
});
