import { expect, test } from 'vitest';
import { createNarrator } from '../../../src/cli/render/narrator.ts';
import type { ConversationEvent } from '../../../src/conversation/conversation-event.ts';
import { plainPage } from '../plain-page.ts';

const call = { id: 'c1', name: 'run_command', argumentsText: '{"command":"ls"}' };
const said = (text: string): ConversationEvent => ({
  type: 'message.recorded',
  message: { role: 'assistant', text, toolCalls: [] },
});

function tellAll(events: readonly ConversationEvent[], tellsMessages = false) {
  const narrator = createNarrator({ page: plainPage(80), showsUserMessages: tellsMessages });
  return { rows: events.flatMap((event) => narrator.render(event)), openRow: narrator.openRow };
}

test('a streamed text is rendered once', () => {
  const { rows } = tellAll([
    { type: 'turn.started', because: 'message' },
    { type: 'text.written', text: 'All ' },
    { type: 'text.written', text: 'good.' },
    said('All good.'),
    { type: 'turn.ended', outcome: { type: 'answered', text: 'All good.' } },
  ]);

  expect(rows).toEqual(['● All good.']);
});

test('a text that was not streamed is rendered whole', () => {
  const { rows } = tellAll([said('All good.')]);

  expect(rows).toEqual(['● All good.']);
});

test('the open row shows the pending work', () => {
  const thinking = tellAll([{ type: 'turn.started', because: 'message' }]);
  const calling = tellAll([
    { type: 'turn.started', because: 'message' },
    { type: 'tool.called', call },
  ]);
  const resting = tellAll([
    { type: 'turn.started', because: 'message' },
    { type: 'turn.ended', outcome: { type: 'answered', text: 'x' } },
  ]);

  expect(thinking.openRow).toContain('thinking');
  expect(calling.openRow).toContain('run_command');
  expect(resting.openRow).toBe('');
});

test('a discarded text is not mixed with the next', () => {
  const { rows } = tellAll([
    { type: 'text.written', text: 'Half an ans' },
    { type: 'text.discarded' },
    { type: 'model.failed', error: 'The endpoint is gone.', attempt: 1, inMs: 1_000 },
    { type: 'text.written', text: 'Whole.' },
    said('Whole.'),
  ]);

  expect(rows).toEqual([
    '● Half an ans',
    '· The reply was interrupted; its text is discarded.',
    '! The model failed: The endpoint is gone. Retrying in 1s.',
    '● Whole.',
  ]);
});

test.each([
  [{ type: 'interrupted' }, '! Interrupted.'],
  [{ type: 'failed', error: 'No key.' }, '! The agent could not answer: No key.'],
  [{ type: 'stepLimit', maxSteps: 3 }, '! Stopped after 3 steps. Say "go on", or raise --limits.max_steps.'],
  [{ type: 'answered', text: '' }, '· The agent sent an empty answer.'],
] as const)('a turn that ends as %j is reported', (outcome, expected) => {
  const { rows } = tellAll([{ type: 'turn.ended', outcome }]);

  expect(rows).toEqual([expected]);
});

test('a typed message is not rendered again', () => {
  const message: ConversationEvent = { type: 'message.recorded', message: { role: 'user', text: 'hello' } };

  expect(tellAll([message]).rows).toEqual([]);
  expect(tellAll([message], true).rows).toEqual(['', '› hello']);
});

test('a shortened transcript is reported to the user', () => {
  const { rows } = tellAll([
    { type: 'compaction.started', because: 'model', tokens: 200_000 },
    { type: 'compaction.failed', error: '"compact" failed: no summary today.' },
    { type: 'transcript.shortened', removed: 4, emptied: 2 },
    { type: 'transcript.shortened', removed: 0, emptied: 1 },
  ]);

  expect(rows.join('\n')).toMatch(
    /is long and is being shortened\.[\s\S]*no summary today[\s\S]*4 older messages and the output of 2\s+calls\.[\s\S]*: the output of 1 call\./,
  );
});
