import { expect, test } from 'vitest';
import { createConversation } from '../../src/conversation/create-conversation.ts';
import { createScriptedModel } from '../../src/models/scripted-model.ts';
import { tempDir, waitUntil } from '../support/os.ts';
import { createVirtualHarness } from '../support/virtual.ts';

/** A conversation that owns a persistent process and one of the session. */
function arrangePersistent(stateDirectory: string) {
  const { supervisor, clock } = createVirtualHarness({ durable: true, stateDirectory });
  const conversation = createConversation({
    supervisor,
    model: createScriptedModel([{ text: 'noted' }]),
    id: 'conv_owner',
    clock,
    policy: { mode: 'dangerous' },
  });
  const start = (lifetime: 'persistent' | 'session') =>
    supervisor.start({ command: [lifetime], lifetime, background: true, owner: 'conv_owner' });
  return { supervisor, conversation, start, clock };
}

test('a conversation that ends leaves what is persistent', async () => {
  using place = tempDir();
  const { supervisor, conversation, start } = arrangePersistent(place.path);
  const [kept, ended] = [start('persistent'), start('session')];

  await conversation.close();

  expect(supervisor.get(kept.id)?.status).toBe('backgrounded');
  expect(supervisor.get(ended.id)?.status).toBe('killed');
  await supervisor.shutdown();
});

test.each(['wait', 'kill'] as const)('a headless end does not %s what is persistent', async (background) => {
  using place = tempDir();
  const { supervisor, conversation, start } = arrangePersistent(place.path);
  const kept = start('persistent');

  // The clock stands still: it would wait for ever for anything that it waits for.
  await conversation.finish({ background });

  expect(supervisor.get(kept.id)?.status).toBe('backgrounded');
  expect(conversation.status).toBe('done');
  await supervisor.shutdown();
});

test('watches and schedules of what is persistent outlive a conversation', async () => {
  using place = tempDir();
  const { supervisor, conversation, start } = arrangePersistent(place.path);
  const owner = 'conv_owner';
  const [kept, ended] = [start('persistent'), start('session')];
  for (const { id } of [kept, ended]) {
    supervisor.watch(id, { pattern: 'error' });
    supervisor.schedule({ message: `look at ${id}`, every: 60_000, owner, process: id });
  }
  supervisor.schedule({ message: 'of no process', every: 60_000, owner });

  await conversation.close();

  expect(supervisor.watches({ owner }).map(({ processId }) => processId)).toEqual([kept.id]);
  expect(supervisor.schedules({ owner }).map(({ message }) => message)).toEqual([`look at ${kept.id}`]);
  await supervisor.shutdown();
});

test('notifications of a persistent process wait for the next conversation', async () => {
  using place = tempDir();
  const { supervisor, conversation, start, clock } = arrangePersistent(place.path);
  const { id } = start('persistent');
  supervisor.schedule({ message: 'look at it', every: 60_000, owner: 'conv_owner', process: id });
  await conversation.close();

  clock.advance(60_000);
  await using again = createConversation({
    supervisor,
    model: createScriptedModel([{ text: 'looked' }]),
    id: 'conv_owner',
    clock,
    policy: { mode: 'dangerous' },
  });
  await waitUntil(() => again.transcript.length === 2);

  expect(again.transcript[0]?.text).toContain('look at it');
  await again.close();
  await supervisor.shutdown();
});
