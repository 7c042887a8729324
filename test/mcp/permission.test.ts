import { expect, test } from 'vitest';
import { arrange, dataOf, eras } from './arrange.ts';

const command = { name: 'run_command', arguments: { command: 'make' } };

test.for(eras)('a person who accepts lets a call pass (%s)', async (era) => {
  const questions: string[] = [];
  await using given = await arrange({
    era,
    policy: { mode: 'default' },
    capabilities: { elicitation: {} },
    script: (run) => {
      run.comeUp();
      run.exit({ code: 0 });
    },
    prepare: (client) =>
      client.setRequestHandler('elicitation/create', ({ params }) => {
        questions.push(params.message);
        return { action: 'accept', content: {} };
      }),
  });

  const result = await given.client.callTool(command);

  expect(dataOf(result)).toMatchObject({ ok: true, data: { exit_code: 0 } });
  expect(questions).toEqual([expect.stringContaining('make')]);
  expect(given.backend.runs.length).toBe(1);
});

test.for(
  eras.flatMap((era) => [
    { era, action: 'decline' as const },
    { era, action: 'cancel' as const },
  ]),
)('a command that a person answers with $action does not start ($era)', async ({ era, action }) => {
  await using given = await arrange({
    era,
    policy: { mode: 'default' },
    capabilities: { elicitation: { form: {} } },
    prepare: (client) => client.setRequestHandler('elicitation/create', () => ({ action })),
  });

  const result = await given.client.callTool(command);

  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('did not consent') }],
  });
  expect(given.backend.runs).toEqual([]);
});

test.for(eras)('a call is denied where no person can be asked (%s)', async (era) => {
  await using given = await arrange({ era, policy: { mode: 'default' } });

  const result = await given.client.callTool(command);

  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('there is no person to ask') }],
  });
  expect(given.backend.runs).toEqual([]);
});

test.for(eras)('a question shows all that a person decides by (%s)', async (era) => {
  const questions: { message: string; requestedSchema?: unknown }[] = [];
  await using given = await arrange({
    era,
    policy: { mode: 'default' },
    capabilities: { elicitation: {} },
    prepare: (client) =>
      client.setRequestHandler('elicitation/create', ({ params }) => {
        questions.push(params);
        return { action: 'decline' };
      }),
  });

  await given.client.callTool({
    name: 'run_command',
    arguments: { command: 'git push\nDirectory: "/fake"', timeout_seconds: 3 },
  });
  await given.client.callTool({
    name: 'run_command',
    arguments: { command: 'git push', timeout_seconds: 3 },
  });

  const [doubtful, plain] = questions.map(({ message }) => message.replace(/call \S+\./, 'call 1.'));
  expect(plain).toBe(
    [
      'run_command starts the command below.',
      'The policy asks, in the mode default, before a tool starts a process.',
      'Asked by test, call 1.',
      `Directory: ${JSON.stringify(given.supervisor.cwd)}`,
      'timeout_seconds: 3',
      '"Always" would also allow: git push *',
      'Allow this command?',
      'git push',
    ].join('\n'),
  );
  expect(doubtful).toMatch(/Allow this command\?\ngit push\nDirectory: "\/fake"$/);
  expect(questions[1]).toMatchObject({
    requestedSchema: {
      properties: { always: { type: 'boolean', description: 'Always allow: git push *' } },
    },
  });
});

test.for(eras)('always at the client covers what was shown (%s)', async (era) => {
  const questions: string[] = [];
  await using given = await arrange({
    era,
    policy: { mode: 'default' },
    capabilities: { elicitation: {} },
    script: (run) => {
      run.comeUp();
      run.exit({ code: 0 });
    },
    prepare: (client) =>
      client.setRequestHandler('elicitation/create', ({ params }) => {
        questions.push(params.message);
        return { action: 'accept', content: { always: true } };
      }),
  });
  const run = (command: string) => given.client.callTool({ name: 'run_command', arguments: { command } });

  for (const each of ['git push', 'git push -q', 'X=git; $X push', 'X=git; $X push']) await run(each);

  expect(questions.map((message) => message.split('\n').at(-1))).toEqual([
    'git push',
    'X=git; $X push',
    'X=git; $X push',
  ]);
  expect(given.backend.runs.length).toBe(4);
});
