import { expect, test } from 'vitest';
import {
  endedText,
  findNotices,
  headBytesOf,
  longestNoticeBytes,
  tailBytesOf,
  toAtCapNotice,
  toMissingText,
  toNotice,
} from '../../src/output/log-cap.ts';

test('a sixteenth of a log at its cap is its head, and an eighth its tail', () => {
  expect([headBytesOf(4_096), tailBytesOf(4_096)]).toEqual([256, 512]);
  expect([headBytesOf(100), tailBytesOf(100)]).toEqual([6, 12]);
});

test('a notice is a line of its own', () => {
  expect(toAtCapNotice(12)).toBe('\n[troupe: 12 bytes missing here: the log file is at its cap]\n');
});

test('notices are found where they begin, with the bytes that they stand for', () => {
  const cap = toAtCapNotice(1_234);
  const ended = toNotice(endedText);

  expect(findNotices(Buffer.from(`ab${cap}cd${ended}`))).toEqual([
    { at: 2, bytes: cap.length, missingBytes: 1_234 },
    { at: 4 + cap.length, bytes: ended.length, missingBytes: 0 },
  ]);
});

test.each([
  ['another text', toNotice('hello')],
  ['a missing start', toAtCapNotice(1).slice(1)],
  ['a missing end', toAtCapNotice(1).slice(0, -1)],
  ['no number', toNotice('many bytes missing here: lost')],
  ['too many digits', toNotice(toMissingText(1, 'x').replace('1', '1'.repeat(16)))],
  ['a second bracket', toNotice(toMissingText(1, 'a]b'))],
  ['too much text', toNotice(toMissingText(1, 'x'.repeat(longestNoticeBytes)))],
])('output with %s is no notice', (_, text) => {
  expect(findNotices(Buffer.from(text))).toEqual([]);
});

test('notices that follow each other are found', () => {
  const cap = toAtCapNotice(1);

  expect(findNotices(Buffer.from(cap + cap)).map(({ at }) => at)).toEqual([0, cap.length]);
});
