import { expect, test } from 'vitest';
import { createConversation, createScriptedModel, createSupervisor } from '../../src/index.ts';
import { expectNoSurvivors, settle } from '../../src/testing/index.ts';
import { waitUntil } from '../support/os.ts';
import { createVirtualHarness } from '../support/virtual.ts';

test('settle waits until the policy has read the command', async () => {
  await using rig = createVirtualHarness();
  const { supervisor, backend, clock } = rig;
  await using conversation = createConversation({
    supervisor,
    policy: { mode: 'auto' },
    model: createScriptedModel([
      { calls: [{ name: 'run_command', arguments: { command: 'npm test' } }] },
      { text: 'It takes long.' },
    ]),
  });

  const answer = conversation.say('Do the tests pass?');
  await settle(clock);
  clock.advance(30_000);

  expect(await answer).toEqual({ type: 'answered', text: 'It takes long.' });
  backend.lastRun.exit();
  await settle(clock);
});

test('a survivor is found by the lineage in its environment', async () => {
  await using supervisor = createSupervisor({ stateDirectory: false });
  const handle = supervisor.start({ command: 'setsid sleep 60 & echo $!; wait', background: true });
  await waitUntil(() => handle.read().text.trim());

  await expect(expectNoSurvivors(supervisor, { withinMs: 50 })).rejects.toThrow(/\d+ {2}sleep 60/);

  await handle.kill();
  await expectNoSurvivors(supervisor);
});
