import { expect, test } from 'vitest';
import { beginAnswer, readAgentAnswer } from '../../src/process/agent-answer.ts';
import type { ProcessHandle } from '../../src/process/process-handle.ts';

test('later remarks follow the answer of a delegate', () => {
  const printed = { ok: true, data: 'it is five\n', remarks: ['it has ended'], note: 'Away.' };
  const reader = () => ({ read: () => ({ text: JSON.stringify(printed), droppedBytes: 0 }) });

  const answer = readAgentAnswer({ reader } as unknown as ProcessHandle);

  expect(answer).toEqual({ ok: true, data: 'it is five\n\nit has ended\n\n[Away.]' });
});

test('a note follows the answer of a delegate', () => {
  const printed = { ok: true, data: 'it is five', note: 'After this answer: The model failed: Away.' };
  const reader = () => ({ read: () => ({ text: JSON.stringify(printed), droppedBytes: 0 }) });

  const answer = readAgentAnswer({ reader } as unknown as ProcessHandle);

  expect(answer).toEqual({
    ok: true,
    data: 'it is five\n\n[After this answer: The model failed: Away.]',
  });
});

/** Answer of a process that printed this text, or more of which that many bytes were not kept. */
function answerOf(text: string, { droppedBytes = 0, truncated = false } = {}) {
  const asked: unknown[] = [];
  const reader = (name: string) => ({
    positions: { stdout: 100 },
    read: (options: unknown) => {
      asked.push(name, options);
      return { text, droppedBytes, truncated, positions: { stdout: 3_000_100 } };
    },
  });
  const answer = readAgentAnswer({ id: 'agent_a', reader } as unknown as ProcessHandle);
  return { answer, asked };
}

test('an answer is the raw stdout, of a megabyte at most', () => {
  expect(answerOf('{"ok":true,"data":1}')).toEqual({
    answer: { ok: true, data: 1 },
    asked: ['agent-answer', { stream: 'stdout', format: 'raw', maxBytes: 1_048_576 }],
  });
});

test.each([{ droppedBytes: 1 }, { truncated: true }])(
  'an answer that is not complete is an error: %j',
  (lost) => {
    const error =
      'The answer of agent_a is 3000000 bytes long and was not kept completely; an answer may have at most 1.0 MiB.';

    expect(answerOf(' \n{"ok":true', lost).answer).toEqual({ ok: false, error });
    expect(answerOf('text {', lost).answer).toBeNull();
  },
);

test.each([
  ['', null],
  ['text', null],
  ['[{"ok":true}]', null],
  ['{"ok":1}', null],
  ['{"ok":true', null],
  ['{"ok":false,"error":"no","remarks":["later"]}', { ok: false, error: 'no', remarks: ['later'] }],
  ['{"ok":true,"data":7,"note":"later"}', { ok: true, data: 7, note: 'later' }],
  ['{"ok":true,"data":"a","remarks":[]}', { ok: true, data: 'a', remarks: [] }],
  ['{"ok":true,"data":"a","remarks":"b","note":7}', { ok: true, data: 'a', remarks: 'b', note: 7 }],
  ['{"ok":true,"data":"a \\n","remarks":["b",7]}', { ok: true, data: 'a\n\nb' }],
])('the text %j is the answer %j', (text, answer) => {
  expect(answerOf(text).answer).toEqual(answer);
});

test('a later attempt begins behind what was printed', () => {
  const acknowledged: unknown[] = [];
  const read = { text: '' };

  beginAnswer({
    read: (options: unknown) => ({ ...read, options }),
    reader: (name: string) => ({ acknowledge: (given: unknown) => acknowledged.push(name, given) }),
  } as unknown as ProcessHandle);

  expect(acknowledged).toEqual(['agent-answer', { text: '', options: { tail: 0 } }]);
});
