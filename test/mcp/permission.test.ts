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
)('nothing starts when a person says $action ($era)', async ({ era, action }) => {
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

test.for(eras)('where nobody can be asked a call is denied (%s)', async (era) => {
  await using given = await arrange({ era, policy: { mode: 'default' } });

  const result = await given.client.callTool(command);

  expect(result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining('there is nobody to ask') }],
  });
  expect(given.backend.runs).toEqual([]);
});
