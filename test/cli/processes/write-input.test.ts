import { expect, test } from 'vitest';
import { writeInput } from '../../../src/cli/verbs/write.ts';
import { fakeIo } from '../fake-io.ts';
import { fakeStateDirectory } from '../fake-state-directory.ts';
import { processView } from '../process-views.ts';

function write(text: readonly string[], own: { newline?: boolean; eof?: boolean; json?: boolean } = {}) {
  const fake = fakeIo();
  const { open, orders } = fakeStateDirectory([{ view: processView({ id: 'tool_a', label: 'repl' }) }]);
  const flags = { newline: true, ...own };
  return { ...fake, orders, code: writeInput({ word: 'repl', text, flags, io: fake.io, open }) };
}

test.each([
  [['print', '1'], {}, 'print 1\n', '8 bytes written to tool_a (repl).\n'],
  [['y'], { newline: false }, 'y', '1 byte written to tool_a (repl).\n'],
])('write sends %j with %j', async (text, flags, data, told) => {
  const { code, stdout, orders } = write(text, flags);

  expect(await code).toBe(0);
  expect(orders).toEqual([{ write: 'tool_a', data }, 'close']);
  expect(stdout()).toBe(told);
});

test.each([[[]], [['-']]])('write with %j forwards stdin unchanged', async (text) => {
  const { code, endInput, orders } = write(text, { eof: text.length > 0 });

  endInput('no end of line');

  expect(await code).toBe(0);
  expect(orders).toContainEqual({ write: 'tool_a', data: 'no end of line' });
});

test('write --eof alone writes nothing', async () => {
  const { code, stdout, orders } = write([], { eof: true });

  expect(await code).toBe(0);
  expect(orders).toEqual([{ endInput: 'tool_a' }, 'close']);
  expect(stdout()).toBe('The input of tool_a (repl) is closed.\n');
});

test('write --json prints the bytes written', async () => {
  const { code, stdout } = write(['abc'], { eof: true, json: true });

  await code;

  expect(JSON.parse(stdout())).toEqual({ id: 'tool_a', bytesWritten: 4, inputEnded: true, error: null });
});
