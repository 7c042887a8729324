import { expect, test } from 'vitest';
import { checkProcess } from '../../src/tools/sets/process/inspect-tools.ts';
import type { ToolContext } from '../../src/tools/tool.ts';
import { waitUntil } from '../support/os.ts';
import { arrange, lastProcessId, startServer, toolThat } from './arrange.ts';

/** The end is in the inbox already when the model's poll is answered. */
function endsAndIsPolled(options: { thenThrows: boolean }) {
  const given = arrange({
    steps: [startServer, { calls: [{ name: 'poll', arguments: {} }] }, { text: 'read' }, { text: 'told' }],
    tools: [
      toolThat('poll', async (context: ToolContext) => {
        const announced = new Promise((resolve) => given.supervisor.completions$.subscribe(resolve));
        given.backend.lastRun.exit({ code: 2 });
        await announced;
        const id = given.supervisor.list()[0]?.id;
        const prepared = checkProcess.prepare({ process_id: id });
        const answer = prepared.ok ? await prepared.run(context) : prepared;
        if (options.thenThrows) throw new Error('the reply was lost');
        return answer;
      }),
    ],
  });
  return given;
}

test('an end that a poll has shown is withdrawn', async () => {
  await using given = endsAndIsPolled({ thenThrows: false });

  await given.conversation.say('go');
  await given.settled(1);

  expect(given.answers()[1]).toMatchObject({ ok: true, data: { status: 'failed', exit_code: 2 } });
  expect(given.notices()).toEqual([]);
  expect(given.events.filter(({ type }) => type === 'notice.withdrawn')).toHaveLength(1);
});

test('an end whose poll was lost is reported', async () => {
  await using given = endsAndIsPolled({ thenThrows: true });

  await given.conversation.say('go');
  await given.settled(1);

  expect(given.answers()[1]).toEqual({ ok: false, error: 'the reply was lost' });
  expect(given.notices()).toHaveLength(1);
});

test.for(['check_process', 'get_process_output', 'list_processes'])(
  '%s of a live process claims nothing',
  async (name) => {
    await using given = arrange({
      steps: [
        startServer,
        (messages) => ({
          calls: [
            {
              name,
              arguments:
                name === 'list_processes'
                  ? { include_completed: true }
                  : { process_id: lastProcessId(messages) },
            },
          ],
        }),
        { text: 'it runs' },
        { text: 'it has ended' },
      ],
    });
    await given.conversation.say('go');

    given.backend.lastRun.exit();
    await given.settled(1);

    expect(given.notices()).toHaveLength(1);
  },
);

test('a foreground command is reported only by its result', async () => {
  await using given = arrange({
    steps: [{ calls: [{ name: 'run_command', arguments: { command: 'make' } }] }, { text: 'made' }],
  });
  const answered = given.conversation.say('go');
  await waitUntil(() => given.backend.runs.length === 1);

  given.backend.lastRun.print('all good\n');
  given.backend.lastRun.exit();
  await answered;
  await given.settled(1);

  expect(given.answers()).toMatchObject([{ ok: true, data: { exit_code: 0, output: 'all good\n' } }]);
  expect(given.notices()).toEqual([]);
});

test('a promoted command is reported by a notice', async () => {
  await using given = arrange({
    steps: [
      { calls: [{ name: 'run_command', arguments: { command: 'make', timeout_seconds: 2 } }] },
      { text: 'meanwhile' },
      { text: 'made' },
    ],
  });
  const answered = given.conversation.say('go');
  await waitUntil(() => given.backend.runs.length === 1);

  given.clock.advance(2_000);
  await answered;
  given.backend.lastRun.exit();
  await given.settled(1);

  expect(given.answers()).toMatchObject([{ ok: true, data: { status: 'backgrounded' } }]);
  expect(given.notices()).toHaveLength(1);
  expect(given.conversation.transcript.at(-1)).toMatchObject({ role: 'assistant', text: 'made' });
});
