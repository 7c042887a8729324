import { expect, test } from 'vitest';
import { deadLeftover } from '../support/views.ts';
import { arrange, gate, lastProcessId, startServer, toolThat } from './arrange.ts';

test('an end wakes an idle agent once', async () => {
  await using given = arrange({ steps: [startServer, { text: 'started' }, { text: 'I see' }] });
  await given.conversation.say('serve');
  given.backend.lastRun.print('cannot bind\n', 'stderr');
  given.clock.advance(3_200);

  given.backend.lastRun.exit({ code: 1 });
  await given.settled(1);

  expect(given.roles()).toEqual(['user', 'assistant', 'tool', 'assistant', 'notice', 'assistant']);
  const id = given.supervisor.list()[0]?.id;
  const text = given.notices()[0]?.text ?? '';
  expect(text).toContain(`<process id="${id}" label="server" status="failed" code="1" duration="3.2s"`);
  expect(text).toContain('command="serve"');
  expect(text).toContain('server) failed after 3.2s: it exited with code 1.');
  expect(text).toContain('cannot bind');
  expect(text).toContain('not by a human');
  expect(given.turns()).toBe(2);
});

test('a notice counts what the agent has not read', async () => {
  await using given = arrange({
    steps: [
      startServer,
      (messages) => {
        given.backend.lastRun.print('read\n');
        const process_id = lastProcessId(messages);
        return { calls: [{ name: 'get_process_output', arguments: { process_id } }] };
      },
      { text: 'started' },
      { text: 'I see' },
    ],
  });
  await given.conversation.say('serve');

  given.backend.lastRun.print('unread\n');
  given.backend.lastRun.exit();
  await given.settled(1);

  expect(given.answers()[1].data.output).toBe('read\n');
  expect(given.notices()[0]?.text).toContain('unread_bytes="7"');
});

test('an end during tool calls comes after their results', async () => {
  const [first, second] = [gate(), gate()];
  await using given = arrange({
    steps: [
      startServer,
      {
        calls: [
          { name: 'first', arguments: {} },
          { name: 'second', arguments: {} },
        ],
      },
      { text: 'done' },
    ],
    tools: [
      toolThat('first', () => first.passed.then(() => ({ ok: true, data: 1 }))),
      toolThat('second', () => second.passed.then(() => ({ ok: true, data: 2 }))),
    ],
  });
  const answered = given.conversation.say('go');
  const calledBoth = new Promise<void>((resolve) => {
    given.conversation.events$.subscribe((event) => {
      if (event.type === 'tool.called' && event.call.name === 'second') resolve();
    });
  });
  await calledBoth;

  const announced = new Promise((resolve) => given.supervisor.completions$.subscribe(resolve));
  given.backend.lastRun.exit();
  await announced;
  const rolesMeanwhile = given.roles();
  second.open();
  first.open();
  await answered;

  expect(rolesMeanwhile.at(-1)).toBe('assistant');
  expect(given.roles().slice(3)).toEqual(['assistant', 'tool', 'tool', 'notice', 'assistant']);
  expect(given.answers().slice(1)).toEqual([
    { ok: true, data: 1 },
    { ok: true, data: 2 },
  ]);
});

test('an end during the final answer has a turn of its own', async () => {
  const [speaking, spoken] = [gate(), gate()];
  await using given = arrange({
    steps: [
      startServer,
      async () => {
        speaking.open();
        await spoken.passed;
        return { text: 'final' };
      },
      { text: 'and the server has ended' },
    ],
  });
  const answered = given.conversation.say('go');
  await speaking.passed;

  const announced = new Promise((resolve) => given.supervisor.completions$.subscribe(resolve));
  given.backend.lastRun.exit();
  await announced;
  spoken.open();
  const outcome = await answered;
  await given.conversation.idle();

  expect(outcome).toEqual({ type: 'answered', text: 'final' });
  expect(given.roles().slice(3)).toEqual(['assistant', 'notice', 'assistant']);
  expect(given.turns()).toBe(2);
});

test('an end before the spawn result is folded into it', async () => {
  await using given = arrange({
    steps: [startServer, { text: 'over already' }],
    script: (run) => {
      run.comeUp();
      run.exit({ code: 3 });
    },
  });

  await given.conversation.say('go');
  await given.settled(1);

  expect(given.answers()[0]).toMatchObject({ ok: true, data: { status: 'failed', exit_code: 3 } });
  expect(given.notices()).toEqual([]);
});

test('twenty ends at once are one message', async () => {
  await using given = arrange({
    steps: [{ text: 'all over' }],
    supervisor: { maxBackgroundProcesses: 20, maxParallelTools: 20 },
  });
  const owner = given.conversation.id;
  const ids = Array.from({ length: 20 }, (_, index) => {
    return given.supervisor.start({ command: `work ${index}`, owner, background: true }).id;
  });

  for (const run of given.backend.runs) run.exit();
  await given.settled(20);

  expect(given.notices().map(({ completionIds }) => completionIds.length)).toEqual([20]);
  expect(given.notices()[0]?.completionIds.toSorted()).toEqual(ids.map((id) => `${id}/1/ended`).toSorted());
  expect(given.turns()).toBe(1);
});

test('a kill by the agent does not wake it', async () => {
  await using given = arrange({
    steps: [
      startServer,
      (messages) => ({
        calls: [{ name: 'kill_process', arguments: { process_id: lastProcessId(messages) } }],
      }),
      { text: 'killed' },
    ],
  });

  await given.conversation.say('go');
  await given.settled(1);

  expect(given.backend.lastRun.signals).toEqual(['SIGTERM']);
  expect(given.answers()[1]).toMatchObject({ ok: true, data: { status: 'killed' } });
  expect(given.notices()).toEqual([]);
  expect(given.turns()).toBe(1);
});

test.for([
  ['killed by the user', 'was killed', 'it was killed by the user with SIGTERM'],
  ['past its limit', 'timed out', 'limit maxBackgroundTime of 1m 00s'],
  ['lost', 'was lost', 'the host is gone'],
] as const)('a process %s wakes with its verb', async ([how, verb, why]) => {
  await using given = arrange({
    steps: [startServer, { text: 'started' }, { text: 'I see' }],
    supervisor: { maxBackgroundTime: '1m' },
  });
  await given.conversation.say('serve');
  const { id } = given.supervisor.list()[0] ?? { id: '' };

  if (how === 'killed by the user') await given.supervisor.kill(id, { by: 'user' });
  if (how === 'past its limit') given.clock.advance(60_000);
  if (how === 'lost') given.backend.lastRun.tell({ type: 'process.lost', why: 'the host is gone' });
  await given.settled(1);

  expect(given.notices()[0]?.text).toContain(verb);
  expect(given.notices()[0]?.text).toContain(why);
});

test("the end of another owner's process does not wake the conversation", async () => {
  await using given = arrange({ steps: [] });
  given.supervisor.start({ command: 'other', owner: 'somebody', background: true });

  given.backend.lastRun.exit({ code: 1 });
  await given.settled(1);

  expect(given.conversation.transcript).toEqual([]);
});

test('a closed conversation is not revived', async () => {
  await using given = arrange({ steps: [startServer, { text: 'started' }] });
  await given.conversation.say('serve');
  const before = given.conversation.transcript;

  await given.conversation.close();
  await given.settled(1);
  const outcome = await given.conversation.say('anybody there?');

  expect(outcome).toEqual({ type: 'closed' });
  expect(given.conversation.transcript).toEqual(before);
  expect(given.supervisor.list()[0]).toMatchObject({ status: 'killed', reason: { by: 'owner' } });
});

test('a kill by the supervisor wakes no agent', async () => {
  await using given = arrange({ steps: [startServer, { text: 'started' }] });
  await given.conversation.say('serve');

  await given.supervisor.shutdown();
  await given.settled(1);

  expect(given.turns()).toBe(1);
});

test('an end that does not wake comes before the next message', async () => {
  await using given = arrange({ steps: [startServer, { text: 'started' }, { text: 'both read' }] });
  await given.conversation.say('serve');
  const { id } = given.supervisor.list()[0] ?? { id: '' };

  await given.supervisor.kill(id, { by: 'supervisor' });
  await given.settled(1);
  const rolesBefore = given.roles();
  await given.conversation.say('how is it?');

  expect(rolesBefore).toEqual(['user', 'assistant', 'tool', 'assistant']);
  expect(given.roles().slice(4)).toEqual(['notice', 'user', 'assistant']);
});

test('closing twice waits for the same end', async () => {
  await using given = arrange({ steps: [startServer, { text: 'started' }] });
  await given.conversation.say('serve');

  await Promise.all([given.conversation.close(), given.conversation.close()]);

  expect(given.supervisor.list({ live: true })).toEqual([]);
});

test('words to a closed conversation pile up nowhere', async () => {
  await using given = arrange({ steps: [] });
  await given.conversation.close();

  const outcomes = await Promise.all(
    Array.from({ length: 1_001 }, () => given.conversation.say('are you there?')),
  );

  expect(new Set(outcomes.map(({ type }) => type))).toEqual(new Set(['closed']));
});

test.for([
  ['nothing', []],
  ['a leftover', [deadLeftover]],
] as const)('idle() waits for the notice of a process that leaves %s behind', async ([, children]) => {
  await using given = arrange({ steps: [startServer, { text: 'started' }, { text: 'I see' }] });
  const { conversation, backend, supervisor } = given;
  await conversation.say('serve');
  const handle = supervisor.get(lastProcessId(conversation.transcript));
  backend.lastRun.children = children;
  const idle = handle?.ended.then(() => conversation.idle());

  backend.lastRun.exit({ code: 1 });
  await idle;

  expect(given.roles().slice(-2)).toEqual(['notice', 'assistant']);
});

test('a notice omits a leftover that has ended', async () => {
  await using given = arrange({ steps: [startServer, { text: 'started' }, { text: 'I see' }] });
  const { conversation, backend, supervisor } = given;
  await conversation.say('serve');
  backend.lastRun.children = [deadLeftover];
  // The completion is published while the mailbox looks up the ports of the leftover.
  supervisor.completions$.subscribe(() => backend.lastRun.tell({ type: 'tree.surveyed', leftovers: [] }));

  backend.lastRun.exit();
  await given.settled(1);

  expect(given.notices()[0]?.text).toContain('completed after');
  expect(given.notices()[0]?.text).not.toContain('Left running');
});
