import { expect, test } from 'vitest';
import { createNarrator } from '../../../src/cli/render/narrator.ts';
import type { ConversationEvent } from '../../../src/conversation/conversation-event.ts';
import { markedPage, plainPage } from '../plain-page.ts';

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

test.each<[ConversationEvent | object, readonly string[]]>([
  [{ type: 'turn.started', because: 'resumption' }, ['· Continuing the interrupted turn.']],
  [{ type: 'turn.started', because: 'message' }, []],
  [{ type: 'text.discarded' }, ['· The reply was interrupted; its text is discarded.']],
  [
    { type: 'model.failed', error: 'It is gone.', attempt: 1, inMs: 1_500 },
    ['! The model failed: It is gone. Retrying in 1.5s.'],
  ],
  [
    { type: 'journal.failed', error: 'The disk is full.' },
    ['! The conversation cannot be saved: The disk is full. Retrying.'],
  ],
  [{ type: 'journal.recovered' }, ['· The conversation is saved again, with nothing missing.']],
  [{ type: 'compaction.started', because: 'request' }, []],
  [{ type: 'compaction.started', because: 'size' }, ['· The conversation is long and is being shortened.']],
  [{ type: 'compaction.failed', error: 'No \x1b[31mroom.' }, ['! No room.']],
  [
    { type: 'transcript.shortened', removed: 1, emptied: 0 },
    ["· Removed from the model's context: 1 older message."],
  ],
  [
    { type: 'transcript.shortened', removed: 2, emptied: 1 },
    ["· Removed from the model's context: 2 older messages and the output of 1 call."],
  ],
  [
    { type: 'transcript.shortened', removed: 0, emptied: 3 },
    ["· Removed from the model's context: the output of 3 calls."],
  ],
  [
    { type: 'transcript.shortened', removed: 0, emptied: 0 },
    ["· Removed from the model's context: parts of older messages."],
  ],
  [{ type: 'turn.ended', outcome: { type: 'answered', text: ' \n' } }, ['· The agent sent an empty answer.']],
  [{ type: 'turn.ended', outcome: { type: 'answered', text: 'x' } }, []],
  [
    { type: 'turn.ended', outcome: { type: 'stepLimit', maxSteps: 9 } },
    ['! Stopped after 9 steps. Say "go on", or raise --limits.max_steps.'],
  ],
  [
    { type: 'turn.ended', outcome: { type: 'failed', error: 'No key.' } },
    ['! The agent could not answer: No key.'],
  ],
  [{ type: 'turn.ended', outcome: { type: 'interrupted' } }, ['! Interrupted.']],
  [{ type: 'turn.ended', outcome: { type: 'closed' } }, []],
  [{ type: 'message.recorded', message: { role: 'tool', text: 'x' } }, []],
  [{ type: 'unheard.of' }, []],
])('the event %j is rendered as %j', (event, rows) => {
  expect(tellAll([event as ConversationEvent]).rows).toEqual(rows);
});

test('a message of the user is bold, and shown on request only', () => {
  const message = { role: 'user', text: 'Go\x1b[31m on.' } as const;
  const event = { type: 'message.recorded', message } as ConversationEvent;
  const bold = createNarrator({ page: markedPage(80), showsUserMessages: true });

  expect(tellAll([event]).rows).toEqual([]);
  expect(tellAll([event], true).rows).toEqual(['', '› Go on.']);
  expect(bold.render(event)).toEqual(['', '{cyan|›} {bold|Go on.}']);
});

test('trouble is red, remarks and open rows are dim', () => {
  const narrator = createNarrator({ page: markedPage(80), showsUserMessages: false });
  const open: string[] = [];
  const rows = [
    { type: 'turn.started', because: 'message' },
    { type: 'tool.called', call },
    { type: 'tool.called', call: { ...call, id: 'c2', name: 'stop' } },
    { type: 'tool.answered', call, answer: { ok: true, data: 'x' } },
    { type: 'turn.ended', outcome: { type: 'interrupted' } },
  ].map((event) => {
    const rendered = narrator.render(event as ConversationEvent);
    open.push(narrator.openRow);
    return rendered;
  });

  expect(rows.at(-1)).toEqual(['{red|!} {red|Interrupted.}']);
  expect(narrator.render({ type: 'journal.recovered' } as ConversationEvent)).toEqual([
    '{dim|·} {dim|The conversation is saved again, with nothing missing.}',
  ]);
  expect(open).toEqual([
    '{dim|  thinking …}',
    '{dim|  run_command …}',
    '{dim|  run_command, stop …}',
    '{dim|  stop …}',
    '',
  ]);
});
