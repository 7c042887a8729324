import { Subject } from 'rxjs';
import { expect, test } from 'vitest';
import {
  closeAgent,
  renderLastExchange,
  renderOpening,
  showPromotions,
  showWarnings,
} from '../../../src/cli/verbs/chat/messages.ts';
import { readVersion } from '../../../src/cli/version.ts';
import type { ChatMessage } from '../../../src/models/chat-model.ts';
import { runningView } from '../../support/views.ts';
import { markedPage, plainPage } from '../plain-page.ts';

const page = plainPage(80);

/** A screen that keeps its rows. */
function createScreen() {
  const rows: string[] = [];
  return {
    rows,
    screen: { show: (part: { rows?: readonly string[] }) => void rows.push(...(part.rows ?? [])) } as never,
  };
}

test('a chat opens with the agent, its model and remarks', () => {
  const chat = {
    definition: { name: 'coder' },
    model: { name: 'gpt\x1b[31m-5' },
    remarks: ['No key.', null, 'Be careful.'],
  } as never;

  expect(renderOpening(chat, page)).toEqual([
    `troupe ${readVersion()} · coder · gpt-5`,
    '· No key.',
    '· Be careful.',
  ]);
  expect(renderOpening(chat, markedPage(80)).slice(0, 2)).toEqual([
    `{bold|troupe ${readVersion()}} {dim|· coder · gpt-5}`,
    '{dim|·} {dim|No key.}',
  ]);
});

const user = (text: string) => ({ role: 'user', text }) as ChatMessage;
const assistant = (text: string) => ({ role: 'assistant', text, toolCalls: [] }) as unknown as ChatMessage;

test.each([
  [[], []],
  [[assistant('x')], []],
  [[user('a')], ['· Resuming a conversation of 1 message. The last one:', '', '› a']],
  [
    [user('a'), assistant('old'), user('b'), assistant('new'), assistant('')],
    ['· Resuming a conversation of 2 messages. The last one:', '', '› b', '● new'],
  ],
  [
    [user('a'), assistant('old'), user('b')],
    ['· Resuming a conversation of 2 messages. The last one:', '', '› b'],
  ],
])('the conversation %j is resumed with %j', (transcript, rows) => {
  expect(renderLastExchange(transcript, page)).toEqual(rows);
});

test('a long last answer is shortened', () => {
  const text = Array.from({ length: 20 }, (_, n) => `line ${n}`).join('\n');
  const rows = renderLastExchange([user('a'), assistant(`${text}\n`)], page).slice(3);

  expect([rows.length, rows[0], rows[7], rows[8], rows[12]]).toEqual([
    13,
    '● line 0',
    '  line 7',
    '… 8 more lines …',
    '  line 19',
  ]);
});

test('a process that moves to the background is shown', () => {
  const events$ = new Subject();
  const { screen, rows } = createScreen();
  showPromotions({ events$ } as never, { screen, page });

  events$.next({ type: 'process.started', process: runningView() });
  events$.next({ type: 'process.backgrounded', process: runningView({ label: 'build' }) });

  expect(rows).toEqual(['⇢ tool_example1 (build) continues in the background after 1m 05s']);
});

test('warnings are shown on the screen until the end of the chat', () => {
  const before = process.listeners('warning');
  const { screen, rows } = createScreen();

  const stop = showWarnings({ screen, page });
  const meanwhile = process.listeners('warning');
  for (const listener of meanwhile) (listener as (error: Error) => void)(new Error('odd\x1b[31m'));
  stop();

  expect(meanwhile).toHaveLength(before.length === 0 ? 0 : 1);
  expect(rows).toEqual(before.length === 0 ? [] : ['! odd']);
  expect(process.listeners('warning')).toEqual(before);
});

/** Closes an agent, and returns what is shown. */
async function close({
  live = 0,
  survivors = [],
  transcript = [user('a')],
  next = 'Resume with x.',
}: {
  live?: number;
  survivors?: readonly object[];
  transcript?: readonly ChatMessage[];
  next?: string | null;
}) {
  const events$ = new Subject();
  const { screen, rows } = createScreen();
  const asked: unknown[] = [];
  const list = (options: unknown) => {
    asked.push(options);
    return Array.from({ length: live });
  };
  const agent = {
    conversation: { transcript },
    supervisor: { events$, list },
    close: async () => {
      rows.push('closed');
      events$.next({ type: 'process.ended' });
      events$.next({ type: 'supervisor.stopped', report: { survivors } });
    },
  };

  await closeAgent(agent as never, { screen, page, howToResume: () => next });
  expect(asked).toEqual([{ live: true }]);
  return rows;
}

const survivors = [
  { id: 'tool_a', members: [{ pid: 7 }, { pid: 8 }] },
  { id: 'tool_b', members: [{ pid: 9 }] },
];

test.each([
  [{}, ['', 'closed', '· Resume with x.']],
  [{ next: null }, ['', 'closed']],
  [{ transcript: [assistant('x')] }, ['', 'closed']],
  [{ live: 1, next: null }, ['', '· Ending 1 process …', 'closed', '· Nothing is left running.']],
  [{ live: 2, next: null }, ['', '· Ending 2 processes …', 'closed', '· Nothing is left running.']],
  [
    { live: 2, survivors },
    [
      '',
      '· Ending 2 processes …',
      'closed',
      '! Could not be ended: tool_a (pid 7, 8); tool_b (pid 9).',
      '· Resume with x.',
    ],
  ],
])('the end of a chat %j is told as %j', async (given, rows) => {
  expect(await close(given)).toEqual(rows);
});
