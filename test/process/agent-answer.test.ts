import { expect, test } from 'vitest';
import { readAgentAnswer } from '../../src/process/agent-answer.ts';
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
