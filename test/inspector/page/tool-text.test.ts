import { expect, test } from 'vitest';
import { toAnswerText, toCallText } from '../../../src/inspector/page/tool-text.ts';

test('a call begins with its command', () => {
  expect(toCallText('{"label":"web","command":"npm run dev","timeout_seconds":0.7}')).toBe(
    'npm run dev · label web · timeout_seconds 0.7',
  );
  expect(toCallText('{"command":["git","status"]}')).toBe('git status');
  expect(toCallText('{}')).toBe('');
});

test('a call with invalid arguments keeps their text', () => {
  expect(toCallText('{"command":')).toBe('{"command":');
  expect(toCallText('[1]')).toBe('[1]');
});

test('an answer has the end, the sentence and the output of its process', () => {
  const data = { exit_code: 1, signal: null, message: 'It failed.', output: '2 failed\n' };

  expect(toAnswerText(JSON.stringify({ ok: true, data }))).toEqual({
    ...{ isRefusal: false, message: 'Exit code 1. It failed.', output: '2 failed\n' },
  });
  expect(toAnswerText('{"ok":true,"data":{"exit_code":null,"signal":"SIGKILL"}}')?.message).toBe('SIGKILL.');
});

test('a refusal is its error', () => {
  expect(toAnswerText('{"ok":false,"error":"There is no such process."}')).toEqual({
    ...{ isRefusal: true, message: 'There is no such process.', output: '' },
  });
});

test('an answer of another shape is not read', () => {
  for (const text of ['plain text', '[]', 'null', '{"ok":"yes"}', '{"ok":true,"data":{"count":3}}'])
    expect([text, toAnswerText(text)]).toEqual([text, null]);
});
