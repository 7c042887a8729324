import { expect, test } from 'vitest';
import { arrange } from './arrange.ts';

const news = { id: 'mail/7', source: 'a mailbox', text: 'You have mail.' };

test('news wake an idle agent once', async () => {
  await using given = arrange({ steps: [{ text: 'read' }] });

  const taken = [given.conversation.notify(news), given.conversation.notify(news)];
  await given.conversation.idle();
  taken.push(given.conversation.notify(news));

  expect(taken).toEqual([true, false, false]);
  expect(given.roles()).toEqual(['notice', 'assistant']);
  expect(given.notices()[0]).toMatchObject({ completionIds: ['mail/7'] });
  expect(given.notices()[0]?.text).toContain('<event source="a mailbox">\nYou have mail.\n</event>');
});

test('news for the context wait for the next turn', async () => {
  await using given = arrange({ steps: [{ text: 'both read' }] });

  given.conversation.notify({ ...news, attention: 'context' });
  await given.conversation.idle();
  const before = given.roles();
  await given.conversation.say('anything new?');

  expect(before).toEqual([]);
  expect(given.roles()).toEqual(['notice', 'user', 'assistant']);
});

test('ignored news are not taken in', async () => {
  await using given = arrange({ steps: [] });

  expect(given.conversation.notify({ ...news, attention: 'ignore' })).toBe(false);
});

test('a closed conversation takes no notifications', async () => {
  await using given = arrange({ steps: [] });
  await given.conversation.close();

  expect(given.conversation.notify(news)).toBe(false);
});

test('a flood of notifications is one message of bounded size', async () => {
  await using given = arrange({ steps: [{ text: 'too much' }] });

  for (let count = 0; count < 3_000; count += 1)
    given.conversation.notify({ id: `n${count}`, source: 'a flood', text: 'x'.repeat(3_000) });
  await given.conversation.idle();

  expect(given.notices()).toHaveLength(1);
  expect(given.notices()[0]?.completionIds).toHaveLength(3_000);
  expect(given.notices()[0]?.text).toContain('<more events="2750"/>');
  expect(given.notices()[0]?.text.length).toBeLessThan(120_000);
});
