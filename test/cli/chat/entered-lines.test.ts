import { PassThrough } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createTerminal } from '../../../src/cli/verbs/chat/chat-terminal.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

function open() {
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const heard: string[] = [];
  const terminal = createTerminal({
    io: { stdin, stdout } as never,
    prompt: '> ',
    onText: (text) => heard.push(text),
    onInterrupt: () => heard.push('interrupted'),
    onEnd: () => heard.push('ended'),
    complete: () => [],
  });
  const type = async (keys: string) => {
    stdin.write(keys);
    for (let turn = 0; turn < 5; turn += 1) await setImmediate();
  };
  const pass = async (ms: number) => {
    vi.advanceTimersByTime(ms);
    await setImmediate();
  };
  return { heard, type, pass, [Symbol.dispose]: () => terminal.close() };
}

test('a paste in pieces is one message', async () => {
  using at = open();

  await at.type('one\rtwo\r');
  await at.pass(5);
  await at.type('three\r');
  await at.pass(100);

  expect(at.heard).toEqual(['one\ntwo\nthree']);
});

test('lines that are typed are messages of their own', async () => {
  using at = open();

  await at.type('one\r');
  await at.pass(100);
  await at.type('two\r');
  await at.pass(100);

  expect(at.heard).toEqual(['one', 'two']);
});

test.each([
  ['\x03', 'interrupted'],
  ['\x04', 'ended'],
])('a line that was entered comes before %j', async (key, end) => {
  using at = open();

  await at.type(`one\r${key}`);
  await at.pass(100);

  expect(at.heard).toEqual(['one', end]);
});
