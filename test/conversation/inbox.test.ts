import { expect, test } from 'vitest';
import { createInbox } from '../../src/conversation/inbox.ts';
import type { EndReason } from '../../src/index.ts';
import { endedView } from './ended-view.ts';

function completion(id: string, reason: EndReason = { type: 'exited', code: 0 }) {
  const process = endedView({ id, reason });
  return {
    type: 'completion',
    id: `${id}/1/ended`,
    completion: { id: `${id}/1/ended`, at: 0, process },
  } as const;
}

test('an end is given out once', () => {
  const inbox = createInbox();
  inbox.add(completion('a'));

  const first = inbox.drain({ maxMessages: 3 });
  const again = inbox.add(completion('a'));

  expect(first.map(({ id }) => id)).toEqual(['a/1/ended']);
  expect(again).toBe(false);
  expect(inbox.size).toBe(0);
});

test('an end that was read before it came is not taken in', () => {
  const inbox = createInbox();

  const withdrawn = inbox.withdraw(['a/1/ended']);
  inbox.add(completion('a'));

  expect(withdrawn).toEqual([]);
  expect(inbox.size).toBe(0);
});

test('ends count as one message', () => {
  const inbox = createInbox();
  for (const text of ['one', 'two', 'three']) inbox.add({ type: 'message', id: text, text });
  for (const id of ['a', 'b', 'c']) inbox.add(completion(id));

  const drained = inbox.drain({ maxMessages: 3 });

  expect(drained.map(({ id }) => id)).toEqual(['a/1/ended', 'b/1/ended', 'c/1/ended', 'one', 'two']);
  expect(inbox.size).toBe(1);
});

test('an end by the agent itself waits for the next turn', () => {
  const inbox = createInbox();
  const killed = { type: 'killed', signal: 'SIGTERM', escalated: false } as const;

  inbox.add(completion('a', { ...killed, by: 'agent' }));
  const wokenByAgent = inbox.wakes;
  inbox.add(completion('b', { ...killed, by: 'user' }));

  expect([wokenByAgent, inbox.wakes]).toEqual([false, true]);
  expect(inbox.drain({ maxMessages: 3 })).toHaveLength(2);
});
