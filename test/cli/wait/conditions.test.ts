import { expect, test } from 'vitest';
import {
  type ConditionFlags,
  parseConditions,
  waitForConditions,
} from '../../../src/cli/verbs/wait/conditions.ts';
import type { Waited } from '../../../src/process/waited.ts';
import { fakeIo } from '../fake-io.ts';
import { type FakeProcess, fakeStateDirectory } from '../fake-state-directory.ts';
import { endedView, processView } from '../process-views.ts';

test.each<[ConditionFlags, unknown]>([
  [{}, null],
  [{ exit: true }, null],
  [{ exit: true, any: true }, null],
  [
    { exit: true, ready: true },
    { exit: true, ready: true, mode: 'any' },
  ],
  [
    { ready: true, all: true },
    { ready: true, mode: 'all' },
  ],
  [
    { text: 'a', pattern: 'b' },
    { text: 'a', pattern: 'b', mode: 'any' },
  ],
  [
    { port: '80', portFree: '81' },
    { port: 80, portFree: 81, mode: 'any' },
  ],
  [
    { http: 'http://a/', file: 'f' },
    { http: 'http://a/', file: 'f', mode: 'any' },
  ],
  [
    { quietFor: '3', input: true, any: true },
    { quiet: 3_000, input: true, mode: 'any' },
  ],
  [{ exit: false, ready: false, input: false }, null],
])('the flags %j mean %j', (flags, order) => {
  expect(parseConditions(flags)).toEqual(order);
});

test.each<[ConditionFlags, string]>([
  [{ any: true, all: true, ready: true }, '--any and --all exclude each other: give one.'],
  [{ any: true }, '--any needs conditions.'],
  [{ all: true }, '--all needs conditions.'],
  [{ text: '' }, '--text is empty.'],
  [{ pattern: '' }, '--pattern is empty.'],
  [{ file: '' }, '--file is empty.'],
  [{ port: 'x' }, '--port is "x"; expected a number from 1 to 65535.'],
  [{ portFree: 'x' }, '--port-free is "x"; expected a number from 1 to 65535.'],
  [{ http: 'x' }, '--http is "x"; expected an address such as http://127.0.0.1:3000/.'],
  [{ quietFor: 'x' }, '--quiet-for is "x"; expected seconds, or a duration such as 500ms, 30s, 5m.'],
])('the flags %j are refused', (flags, message) => {
  expect(() => parseConditions(flags)).toThrow(expect.objectContaining({ code: 'invalid-option', message }));
});

const waited = (own: object) =>
  ({
    ...{ end: { type: 'met' }, met: [], missing: [], impossible: [], waitedMs: 1_200, matchedLine: null },
    ...own,
  }) as unknown as Waited;

/** Waits for what a process has come to. @returns the exit code, stdout and stderr. */
async function wait(
  own: object,
  flags: object = {},
  view: FakeProcess['view'] = processView({ id: 'tool_a' }),
) {
  const place = fakeIo();
  const code = await waitForConditions({
    words: ['tool_a'],
    flags,
    io: place.io,
    open: fakeStateDirectory([{ view, waited: waited(own) }]).open,
    order: {
      ...{ text: 'up', pattern: 'u.', port: 80, portFree: 81, http: 'http://a/', file: 'f', quiet: 3_000 },
      mode: 'any',
    },
  });
  return [code, place.stdout(), place.stderr()];
}

test.each([
  ['exit', 'it has ended'],
  ['ready', 'it is ready'],
  ['text', 'it prints "up"'],
  ['pattern', 'it prints a line that matches /u./'],
  ['port', 'it listens on port 80'],
  ['portFree', 'port 81 is free'],
  ['http', 'http://a/ answers'],
  ['file', '/project/f is there, written since its start'],
  ['quiet', 'it is silent for 3s'],
  ['input', 'it waits for input'],
])('the condition "%s" reads "%s"', async (condition, words) => {
  expect(await wait({ met: [condition] })).toEqual([0, `tool_a: ${words}, after 1.2s\n`, '']);
});

test('the line that matched is printed, and several conditions', async () => {
  expect(await wait({ met: ['text', 'port'], matchedLine: 'up \x1b[1mnow' })).toEqual([
    0,
    'tool_a: it prints "up", it listens on port 80, after 1.2s: up now\n',
    '',
  ]);
});

test('a quiet wait prints nothing, unless it fails', async () => {
  expect(await wait({ met: ['text'] }, { quiet: true })).toEqual([0, '', '']);
  expect(
    await wait(
      { end: { type: 'ended' }, missing: ['text', 'port'], impossible: ['It held the port.'] },
      { quiet: true },
      endedView({ id: 'tool_a' }),
    ),
  ).toEqual([
    1,
    '',
    'troupe: tool_a: it exited with code 7; It held the port. Waited until it prints "up", it listens on port 80.\n',
  ]);
});

test.each([
  [{ type: 'impossible', why: 'Another process holds it.' }, 'Another process holds it'],
  [{ type: 'stopped' }, 'the wait ended'],
])('a wait that ends as %j says why', async (end, why) => {
  expect(await wait({ end, missing: ['port'] })).toEqual([
    1,
    '',
    `troupe: tool_a: ${why}. Waited until it listens on port 80.\n`,
  ]);
});

test('a wait as JSON prints all that is known', async () => {
  const [code, printed] = await wait({ met: ['text'] }, { json: true });

  expect(code).toBe(0);
  expect(JSON.parse(`${printed}`)).toMatchObject({ id: 'tool_a', met: ['text'], waitedMs: 1_200 });
});
