import { expect, test } from 'vitest';
import { describeMissingExit, parseStatus } from '../../../src/spawn/file/status-file.ts';

const parse = (text: string, attempt = 1) => parseStatus(text, { attempt, known: null });
const begun = 'launcher 1 90\nleader 1 100\n';
const exit = (line: string) => parse(`${begun}${line}\n`).exit;

test.each([
  ['exit 1 0', { code: 0, signal: null, certain: true }],
  ['exit 1 128', { code: 128, signal: null, certain: true }],
  ['exit 1 129', { code: 129, signal: null, certain: true }],
  ['exit 1 130', { code: null, signal: 'SIGINT', certain: false }],
  ['exit 1 141', { code: null, signal: 'SIGPIPE', certain: false }],
  ['exit 1 143 mute', { code: null, signal: 'SIGTERM', certain: false }],
  ['exit 1 255 mute', { code: 255, signal: null, certain: true }],
  ['exit 1 143 code', { code: 143, signal: null, certain: true }],
  ['exit 1 15 signal', { code: null, signal: 'SIGTERM', certain: true }],
  ['exit 1 TERM signal', { code: null, signal: 'SIGTERM', certain: true }],
  ['Terminated\nexit 1 143', { code: null, signal: 'SIGTERM', certain: true }],
  ['exit 1 TERM', null],
  ['exit 2 0', null],
  ['exit 1', null],
  ['exit 1 0 more', null],
  ['exit one 0', null],
  [' exit 1 0', null],
])('the line "%s" is the exit %j', (line, expected) => {
  expect(exit(line)).toEqual(expected);
});

test('an exit counts once', () => {
  expect(exit('exit 1 3\nexit 1 4')).toMatchObject({ code: 3 });
});

test('an exit without a leader is none', () => {
  expect(parse('launcher 1 90\nexit 1 3\n').exit).toBeNull();
});

test.each([
  ['launcher 1 90\n', { launcher: 90, leader: null }],
  [begun, { launcher: 90, leader: { pid: 100, startedAt: null } }],
  [`${begun}began 1 100 4711\n`, { launcher: 90, leader: { pid: 100, startedAt: '4711' } }],
  [`${begun}began 1 100 Tue Nov 25\n`, { leader: { pid: 100, startedAt: 'Tue Nov 25' } }],
  [`${begun}began 2 100 4711\n`, { leader: { pid: 100, startedAt: null } }],
  ['began 1 100 4711\n', { launcher: null, leader: null }],
  ['launcher 2 90\nleader 1 100\n', { launcher: null, leader: null }],
  ['launcher 1 90\nleader 2 100\n', { launcher: 90, leader: null }],
  ['launcher x 90\n', { launcher: null }],
  ['launcher 1\n', { launcher: null }],
])('the lines %j name the processes of their attempt', (text, expected) => {
  expect(parse(text)).toMatchObject(expected);
});

test('an attempt that stands twice begins anew', () => {
  const text = `${begun}words\nexit 1 3\nlauncher 1 91\n`;

  expect(parse(text)).toMatchObject({ launcher: 91, leader: null, exit: null, shellOutput: '' });
});

test('words of the shell are kept until the exit', () => {
  const text = `launcher 1 90\nbefore\nleader 1 100\none\n\ntwo\nexit 1 0\nafter\n`;

  expect(parse(text).shellOutput).toBe('one two');
});

test.each(['gap 1 2', 'base 1 2 3 4', 'full 5', 'pipe 7'])(
  'the line "%s" about the log is no message',
  (line) => {
    expect(parse(`${begun}${line}\n`).shellOutput).toBe('');
  },
);

test('a line about the log counts only with its number', () => {
  expect(parse(`${begun}gap\n`).shellOutput).toBe('gap');
});

test('output is drained for its attempt', () => {
  expect(parse(`${begun}drained 1\n`).isDrained).toBe(true);
  expect(parse(`${begun}drained 1\ndrained 2\n`).isDrained).toBe(true);
  expect(parse(`${begun}drained 2\n`).isDrained).toBe(false);
  expect(parse(`${begun}drained\n`).isDrained).toBe(false);
});

test('gaps of the log are those of all attempts', () => {
  expect(parse('gap 1 2\nlauncher 2 9\ngap 5 6\n').gaps).toEqual([
    { from: 1, to: 2 },
    { from: 5, to: 6 },
  ]);
});

test('a file that lacks a known leader is truncated', () => {
  const known = { launcher: 90, leader: { pid: 100, startedAt: '1' } };

  expect(parseStatus('', { attempt: 1, known })).toMatchObject({ ...known, isTruncated: true, exit: null });
  expect(parseStatus(begun, { attempt: 1, known })).toMatchObject({
    ...{ launcher: 90, leader: { pid: 100, startedAt: null }, isTruncated: false },
  });
});

test('a missing exit names its file', () => {
  expect(describeMissingExit('/a.status')).toBe(
    'its exit is unknown: /a.status, where it would be recorded, was removed or truncated',
  );
});
