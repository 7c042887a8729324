import { expect, test } from 'vitest';
import { checkProcess } from '../../src/tools/check-process.ts';
import { getProcessOutput } from '../../src/tools/get-process-output.ts';
import { killProcess } from '../../src/tools/kill-process.ts';
import { listProcesses } from '../../src/tools/list-processes.ts';
import { processTools } from '../../src/tools/process-tools.ts';
import { runCommand } from '../../src/tools/run-command.ts';
import { startProcess } from '../../src/tools/start-process.ts';
import { toInputSchema } from '../../src/tools/tool.ts';
import { waitUntil } from '../fixtures/os.ts';
import { arrange } from './arrange.ts';

const byId = [checkProcess, getProcessOutput, killProcess];

test.for(byId)('$name names a missing id', async (tool) => {
  await using given = arrange();

  const answers = await Promise.all(
    [{}, { process_id: '' }, null].map((input) => tool.execute(input, given.context)),
  );

  for (const answer of answers) expect(answer).toEqual({ ok: false, error: 'process_id is required' });
});

test.for(byId)('$name offers the nearest id', async (tool) => {
  await using given = arrange();
  const { id } = given.start('serve');
  const wrong = `${id.slice(0, -1)}_`;

  const answer = await tool.execute({ process_id: wrong }, given.context);

  expect(answer).toEqual({ ok: false, error: `Process ${wrong} not found. Did you mean ${id}?` });
});

test.for(byId)("$name does not know another owner's process", async (tool) => {
  await using given = arrange();
  const { id, status } = given.start('serve', 'somebody');

  const answer = await tool.execute({ process_id: id }, given.context);

  expect(answer).toEqual({ ok: false, error: `Process ${id} not found. There are no processes.` });
  expect(given.supervisor.get(id)?.status).toBe(status);
});

test.for([runCommand, startProcess])('$name names a missing command', async (tool) => {
  await using given = arrange();

  const answer = await tool.execute({}, given.context);

  expect(answer).toEqual({ ok: false, error: 'command is required' });
  expect(given.backend.runs).toEqual([]);
});

test('an unknown argument is met with the known one', async () => {
  await using given = arrange();

  const answer = await runCommand.execute({ command: 'ls', timeout_second: 3 }, given.context);

  expect(answer).toMatchObject({
    ok: false,
    error: expect.stringContaining('Did you mean "timeout_seconds"?'),
  });
});

test('an id with control characters is shown quoted', async () => {
  await using given = arrange();

  const answer = await checkProcess.execute({ process_id: '\x1b[2Jtool' }, given.context);

  expect(answer).toMatchObject({ error: expect.stringContaining('Process "\\u001b[2Jtool" not found.') });
});

test('the list shows what is alive', async () => {
  await using given = arrange();
  const [ended, alive] = [given.start('make'), given.start('serve')];
  given.backend.runs[0]?.exit({ code: 1 });

  const short = await listProcesses.execute({}, given.context);
  const long = await listProcesses.execute({ include_completed: true }, given.context);

  expect(short).toMatchObject({
    data: { processes: [{ process_id: alive.id, status: 'backgrounded' }] },
    reveals: [],
  });
  expect(long).toMatchObject({
    data: { processes: [{ process_id: alive.id }, { process_id: ended.id, status: 'failed', exit_code: 1 }] },
    reveals: [`${ended.id}/1/ended`],
  });
});

test('output is read from its end', async () => {
  await using given = arrange();
  const { id } = given.start('count');
  given.backend.lastRun.print('1\n2\n3\n');

  const answer = await getProcessOutput.execute({ process_id: id, tail: 2 }, given.context);

  expect(answer).toEqual({
    ok: true,
    data: { process_id: id, status: 'backgrounded', output: '2\n3\n' },
    reveals: [],
  });
});

test('a kill answers when all is gone', async () => {
  await using given = arrange();
  const { id } = given.start('serve');

  const answer = await killProcess.execute({ process_id: id }, given.context);
  const again = await killProcess.execute({ process_id: id }, given.context);

  expect(answer).toMatchObject({ ok: true, data: { status: 'killed' }, reveals: [`${id}/1/ended`] });
  expect(given.supervisor.get(id)?.view()).toMatchObject({ reason: { type: 'killed', by: 'agent' } });
  expect(again).toMatchObject({ ok: true, data: { message: expect.stringContaining('is not running') } });
});

test('a command that fails is an error with its words', async () => {
  await using given = arrange({
    script: (run) => {
      run.comeUp();
      run.print('no such file\n', 'stderr');
      run.exit({ code: 2 });
    },
  });

  const answer = await runCommand.execute({ command: 'cat x' }, given.context);

  expect(answer).toMatchObject({ ok: false, error: 'no such file\n' });
});

test('a refused start is an answer', async () => {
  await using given = arrange({ supervisor: { maxBackgroundProcesses: 1 } });
  given.start('serve');

  const answer = await startProcess.execute({ command: 'serve too' }, given.context);

  expect(answer).toMatchObject({
    ok: false,
    error: expect.stringContaining('Maximum background processes (1)'),
  });
});

test('a start waits until it is ready', async () => {
  await using given = arrange();
  let answered = false;
  const answer = startProcess
    .execute({ command: 'serve', ready_line: 'listening' }, given.context)
    .then((each) => {
      answered = true;
      return each;
    });
  await waitUntil(() => given.backend.runs.length === 1);

  given.backend.lastRun.print('starting\n');
  await new Promise(setImmediate);
  const answeredBefore = answered;
  given.backend.lastRun.print('listening on 4711\n');

  expect(answeredBefore).toBe(false);
  expect(await answer).toMatchObject({
    ok: true,
    data: { status: 'backgrounded', ready: 'ready', output: 'starting\nlistening on 4711\n' },
  });
});

test('a start that is never ready says why', async () => {
  await using given = arrange();
  const answer = startProcess.execute(
    { command: 'serve', ready_line: 'listening', ready_within_seconds: 5 },
    given.context,
  );
  await waitUntil(() => given.backend.runs.length === 1);

  given.clock.advance(5_000);

  expect(await answer).toMatchObject({ ok: true, data: { ready: expect.stringContaining('not ready') } });
});

test.for(processTools)('$name has a flat schema', (tool) => {
  const schema = toInputSchema(tool) as { type: string; properties: Record<string, { type?: string }> };

  expect(schema.type).toBe('object');
  for (const property of Object.values(schema.properties)) {
    expect(['string', 'number', 'integer', 'boolean']).toContain(property.type);
  }
});
