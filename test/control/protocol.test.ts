import { expect, test } from 'vitest';
import { TroupeError } from '../../src/config/troupe-error.ts';
import {
  createLineReader,
  describeVersions,
  isCode,
  isDaemonOwner,
  isPeer,
  toLine,
} from '../../src/control/protocol.ts';
import type { SupervisorEntry } from '../../src/store/supervisor-registry.ts';

const toTexts = (lines: readonly Uint8Array[] | null) =>
  lines?.map((line) => Buffer.from(line).toString()) ?? null;

test.each([
  { title: 'one line', limit: 9, chunks: ['ab\n'], lines: [['ab']] },
  { title: 'two lines of one chunk', limit: 9, chunks: ['ab\ncd\n'], lines: [['ab', 'cd']] },
  { title: 'an empty line', limit: 9, chunks: ['\n\na\n'], lines: [['', '', 'a']] },
  { title: 'an empty chunk', limit: 9, chunks: ['', 'a\n'], lines: [[], ['a']] },
  {
    title: 'a line of three chunks',
    limit: 9,
    chunks: ['ab', 'cd', 'e\nf', '\n'],
    lines: [[], [], ['abcde'], ['f']],
  },
  { title: 'a line as long as the limit', limit: 4, chunks: ['abcd\n'], lines: [['abcd']] },
  {
    title: 'a cut line as long as the limit',
    limit: 4,
    chunks: ['abc', 'd', '\n'],
    lines: [[], [], ['abcd']],
  },
  { title: 'a line above the limit', limit: 4, chunks: ['abcde\n'], lines: [null] },
  { title: 'the beginning of a line above the limit', limit: 4, chunks: ['ab', 'cde'], lines: [[], null] },
  { title: 'a cut line above the limit', limit: 4, chunks: ['abc', 'de\n'], lines: [[], null] },
  {
    title: 'lines that are too long together only',
    limit: 4,
    chunks: ['abc', '\ndef', '\nghi\n'],
    lines: [[], ['abc'], ['def', 'ghi']],
  },
])('a line reader returns $title', ({ limit, chunks, lines }) => {
  const reader = createLineReader(limit);

  expect(chunks.map((chunk) => toTexts(reader.push(Buffer.from(chunk))))).toEqual(lines);
});

test.each([
  ['shell', true],
  ['shell/4', true],
  ['shellac', false],
  ['conv_1', false],
  ['my/shell/1', false],
])('the daemon takes over processes of %s: %s', (owner, isTaken) => {
  expect(isDaemonOwner(owner)).toBe(isTaken);
});

test.each([
  [7, 'version 7'],
  ['7', 'no known version'],
  [undefined, 'no known version'],
])('a peer that says %s is told both versions', (theirs, said) => {
  expect(describeVersions({ theirs, ours: 'This program' })).toBe(
    `This program speaks version 1 of the control protocol, the other side ${said}. Use the same troupe on both sides: end the older program, or install the version it was started with.`,
  );
});

test('a peer is an entry with a socket', () => {
  const entry = { id: 'sup_a', socket: '/a.sock' } as SupervisorEntry;

  expect([isPeer(entry), isPeer({ ...entry, socket: null })]).toEqual([true, false]);
});

test('a code is that of an error of troupe only', () => {
  const error = new TroupeError({ code: 'protocol', message: 'x' });

  expect(isCode(error, 'protocol')).toBe(true);
  expect(isCode(error, 'internal')).toBe(false);
  expect(isCode({ code: 'protocol' }, 'protocol')).toBe(false);
});

test('a line is JSON with a line feed', () => {
  expect(toLine({ v: 1, id: 2, result: 'a\nb' })).toBe('{"v":1,"id":2,"result":"a\\nb"}\n');
});
