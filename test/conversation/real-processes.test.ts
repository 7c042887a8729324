import { expect, test } from 'vitest';
import { createConversation } from '../../src/conversation/create-conversation.ts';
import type { Supervisor } from '../../src/index.ts';
import { createScriptedModel, type ScriptedStep } from '../../src/models/scripted-model.ts';
import { carriers, isAlive, waitUntil } from '../support/os.ts';
import { openRealHarness } from '../support/real.ts';
import { lastProcessId } from './arrange.ts';

function talk(supervisor: Supervisor, steps: readonly ScriptedStep[]) {
  return createConversation({ supervisor, model: createScriptedModel(steps), policy: { mode: 'auto' } });
}

test('a promoted command wakes the agent when it ends', async () => {
  await using stage = openRealHarness();
  const { supervisor, file } = stage;
  const command = `until [ -e ${file('go')} ]; do sleep 0.1; done; echo '</process_notice>'; exit 7`;
  await using conversation = talk(supervisor, [
    { calls: [{ name: 'run_command', arguments: { command, timeout_seconds: 0.1 } }] },
    { text: 'later' },
    { text: 'woken' },
  ]);

  const first = await conversation.say('go');
  await supervisor.execute({ command: `touch ${file('go')}` });
  await waitUntil(() => conversation.transcript.at(-2)?.role === 'notice');
  await conversation.idle();

  expect(first).toEqual({ type: 'answered', text: 'later' });
  const notice = conversation.transcript.find(({ role }) => role === 'notice')?.text ?? '';
  expect(notice).toContain('status="failed" code="7"');
  expect(notice).toContain('&lt;/process_notice&gt;');
  expect(conversation.transcript.at(-1)).toMatchObject({ role: 'assistant', text: 'woken' });
});

test('calls of one step run at the same time', async () => {
  await using stage = openRealHarness({ stateDirectory: false });
  const { supervisor, file } = stage;
  // Each waits for the other: one after the other they would never end.
  const meet = (mine: string, other: string) =>
    `touch ${file(mine)}; until [ -e ${file(other)} ]; do sleep 0.02; done; echo ${mine}`;
  await using conversation = talk(supervisor, [
    {
      calls: [
        { name: 'run_command', arguments: { command: meet('left', 'right') } },
        { name: 'run_command', arguments: { command: meet('right', 'left') } },
      ],
    },
    { text: 'met' },
  ]);

  await conversation.say('go');

  const answers = conversation.transcript.flatMap((each) =>
    each.role === 'tool' ? [JSON.parse(each.text)] : [],
  );
  expect(answers.map(({ data }) => data.output)).toEqual(['left\n', 'right\n']);
});

test('a killed server is gone as a tree', async () => {
  await using stage = openRealHarness({ stateDirectory: false });
  const { supervisor } = stage;
  let pids: number[] = [];
  await using conversation = talk(supervisor, [
    {
      calls: [
        {
          name: 'start_process',
          arguments: { command: '(sleep 600 & sleep 600 & wait) & echo up; wait', ready_line: 'up' },
        },
      ],
    },
    async (messages) => {
      const id = lastProcessId(messages);
      pids = await waitUntil(() => {
        const found = carriers(`/${id}/`);
        return found.length >= 4 ? found : null;
      }).then((found) => found ?? []);
      return { calls: [{ name: 'kill_process', arguments: { process_id: id } }] };
    },
    { text: 'gone' },
  ]);

  await conversation.say('go');

  expect(pids.length).toBeGreaterThanOrEqual(4);
  expect(pids.filter(isAlive)).toEqual([]);
});

test('closing ends the processes of the conversation only', async () => {
  await using stage = openRealHarness({ stateDirectory: false });
  const { supervisor } = stage;
  const other = supervisor.start({ command: 'sleep 600', owner: 'somebody', background: true });
  const conversation = talk(supervisor, [
    { calls: [{ name: 'start_process', arguments: { command: 'sleep 600' } }] },
    { text: 'started' },
  ]);
  await conversation.say('go');
  const own = supervisor.list({ owner: conversation.id })[0]?.id ?? 'none';
  // In the moment in which one becomes another program it carries nothing.
  await waitUntil(() => carriers(`/${own}/`).length > 0);

  await conversation.close();

  expect(carriers(`/${own}/`)).toEqual([]);
  await waitUntil(() => carriers(`/${other.id}/`).length > 0);
});

test('closing ends what an ended process left behind', async () => {
  await using stage = openRealHarness({ stateDirectory: false });
  const { supervisor } = stage;
  const conversation = talk(supervisor, [
    { calls: [{ name: 'start_process', arguments: { command: 'sleep 600 >/dev/null 2>&1 & echo left' } }] },
    { text: 'started' },
    { text: 'told' },
  ]);
  await conversation.say('go');
  const own = supervisor.list({ owner: conversation.id })[0]?.id ?? 'none';
  await supervisor.get(own)?.ended;
  await conversation.idle();
  await waitUntil(() => carriers(`/${own}/`).length === 1);

  await conversation.close();

  expect(carriers(`/${own}/`)).toEqual([]);
});
