import { expect, test } from 'vitest';
import { checkRecordId, isRecordId } from '../../src/store/record-id.ts';
import { maxRecordBytes, parseRecordText, toRecordBytes } from '../../src/store/record-text.ts';

const trust = (record: unknown) => ({ ok: true, record }) as const;

test.each([
  ['', { ok: false, why: 'it is empty' }],
  ['{"a":1}', { ok: true, record: { a: 1 } }],
])('the text %j is read', (text, reading) => {
  expect(parseRecordText(text, { parse: trust, id: 'tool_a' })).toEqual(reading);
});

test('a parser gets the value and the id, and has the last word', () => {
  const parse = (value: unknown, id: string) =>
    ({ ok: false, why: `${JSON.stringify(value)} of ${id}` }) as const;

  expect(parseRecordText('[7]', { parse, id: 'tool_a' })).toEqual({ ok: false, why: '[7] of tool_a' });
});

test('a text that is no JSON is quoted without control characters', () => {
  const reading = parseRecordText('\x1b[2J', { parse: trust, id: 'tool_a' });

  expect(reading).toEqual({ ok: false, why: expect.stringMatching(/^it is not JSON: ".*\\u001b.*"$/) });
});

test('a record has sixteen megabytes at most', () => {
  expect(maxRecordBytes).toBe(16_777_216);
  expect(toRecordBytes('x'.repeat(maxRecordBytes - 2), 'tool_a').byteLength).toBe(maxRecordBytes);
  expect(() => toRecordBytes('x'.repeat(maxRecordBytes - 1), 'tool_a')).toThrow(
    expect.objectContaining({
      code: 'invalid-option',
      message:
        'the record of tool_a has 16777217 bytes, and a record may have 16777216: store large values in a separate file, and its name in the record.',
    }),
  );
});

test('an id that names no file is refused with advice', () => {
  expect(checkRecordId('tool_a-1')).toBe('tool_a-1');
  expect(isRecordId('a/b')).toBe(false);
  expect(() => checkRecordId('a/b')).toThrow(
    expect.objectContaining({
      code: 'invalid-option',
      message:
        '"a/b" is not an id: an id has 1 to 64 letters, digits, "_" and "-". Pass an id that troupe has returned.',
    }),
  );
});
