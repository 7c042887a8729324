import { expect, test } from 'vitest';
import { createConversation } from '../../src/conversation/create-conversation.ts';
import { createSupervisor } from '../../src/index.ts';
import { createScriptedModel } from '../../src/models/scripted-model.ts';
import { createScriptedBackend, createVirtualClock } from '../../src/testing/index.ts';
import { tempDir } from '../fixtures/os.ts';

/** A conversation that owns a persistent process and one of the session. */
function arrangePersistent(stateDirectory: string) {
  const clock = createVirtualClock();
  const backend = createScriptedBackend(undefined, { durable: true });
  const supervisor = createSupervisor({ clock, backend, stateDirectory });
  const conversation = createConversation({
    supervisor,
    model: createScriptedModel([{ text: 'noted' }]),
    id: 'conv_owner',
    clock,
    policy: { mode: 'dangerous' },
  });
  const start = (lifetime: 'persistent' | 'session') =>
    supervisor.start({ command: [lifetime], lifetime, background: true, owner: 'conv_owner' });
  return { supervisor, conversation, start };
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
