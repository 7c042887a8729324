import { LOG_LEVEL_META_KEY } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { waitUntil } from '../support/os.ts';
import { arrange, dataOf, eras } from './arrange.ts';

const list = { name: 'list_processes' };

test.for(eras)('an end is reported once with the next answer (%s)', async (era) => {
  await using given = await arrange({ era });
  const { id, ended } = given.start('make');
  given.backend.lastRun.print('3 errors\n');
  given.backend.lastRun.exit({ code: 2 });
  await ended;

  const first = await given.client.callTool(list);
  const second = await given.client.callTool(list);

  expect(dataOf(first)['notice']).toContain(`<process id="${id}"`);
  expect(dataOf(first)['notice']).toContain('3 errors');
  expect(first.content).toEqual([expect.anything(), { type: 'text', text: dataOf(first)['notice'] }]);
  expect(dataOf(second)).not.toHaveProperty('notice');
});

test.for(eras)('an end that was read is not reported again (%s)', async (era) => {
  await using given = await arrange({ era });
  const { id, ended } = given.start('make');
  given.backend.lastRun.exit({ code: 0 });
  await ended;

  const check = await given.client.callTool({ name: 'check_process', arguments: { process_id: id } });
  const next = await given.client.callTool(list);

  expect(dataOf(check)).not.toHaveProperty('notice');
  expect(dataOf(next)).not.toHaveProperty('notice');
});

test.for(eras)('the end of a waited for command is its answer only (%s)', async (era) => {
  await using given = await arrange({ era });
  const waiting = given.client.callTool({ name: 'run_command', arguments: { command: 'make' } });
  await waitUntil(() => given.backend.runs.length === 1);

  given.backend.lastRun.exit({ code: 0 });
  const [, beside] = await Promise.all([waiting, given.client.callTool(list)]);
  const next = await given.client.callTool(list);

  expect(dataOf(beside)).not.toHaveProperty('notice');
  expect(dataOf(next)).not.toHaveProperty('notice');
});

test('the end after a cancelled call is reported', async () => {
  await using given = await arrange();
  const cancel = new AbortController();
  const call = given.client.callTool(
    { name: 'run_command', arguments: { command: 'make' } },
    { signal: cancel.signal },
  );
  await waitUntil(() => given.backend.runs.length === 1);
  cancel.abort();
  await call.catch(() => {});

  await waitUntil(() => given.supervisor.list()[0]?.status === 'backgrounded');
  given.backend.lastRun.exit({ code: 0 });
  await given.supervisor.get(given.supervisor.list()[0]?.id ?? '')?.ended;
  const next = await given.client.callTool(list);

  expect(dataOf(next)['notice']).toContain('completed');
});

test("the end of another client's process is not reported", async () => {
  await using given = await arrange();
  const { ended } = given.start('make', 'somebody');
  given.backend.lastRun.exit({ code: 0 });
  await ended;

  const next = await given.client.callTool(list);

  expect(dataOf(next)).not.toHaveProperty('notice');
});

test('ends are logged together for people', async () => {
  const logs: { level: string; data: unknown }[] = [];
  await using given = await arrange({
    timing: { quiet: '200ms' },
    prepare: (client) =>
      client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params)),
  });
  for (const name of ['one', 'two']) given.start(name);
  for (const run of given.backend.runs) run.exit({ code: 1 });

  await waitUntil(() => logs.length > 0);

  expect(logs).toEqual([
    { level: 'warning', logger: 'troupe', data: expect.stringContaining('<process_notice processes="2">') },
  ]);
});

test('a log level that a client sets holds', async () => {
  const logs: unknown[] = [];
  await using given = await arrange({
    prepare: (client) =>
      client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params)),
  });
  await given.client.setLoggingLevel('warning');
  given.start('fine');
  given.backend.lastRun.exit({ code: 0 });
  await given.supervisor.list()[0];
  given.start('broken');

  given.backend.lastRun.exit({ code: 1 });
  await waitUntil(() => logs.length > 0);

  expect(JSON.stringify(logs)).toContain('broken');
});

test('a request of the newer era asks for its logs', async () => {
  const logs: { data: unknown }[] = [];
  await using given = await arrange({
    era: 'modern',
    prepare: (client) =>
      client.setNotificationHandler('notifications/message', ({ params }) => void logs.push(params)),
  });
  given.start('silent');
  given.backend.lastRun.exit({ code: 1 });
  const waiting = given.client.callTool({
    name: 'run_command',
    arguments: { command: 'make' },
    _meta: { [LOG_LEVEL_META_KEY]: 'info' },
  });
  await waitUntil(() => given.backend.runs.length === 2);

  given.start('heard');
  given.backend.lastRun.exit({ code: 1 });
  await waitUntil(() => logs.some(({ data }) => String(data).includes('heard')));
  given.backend.runs[1]?.exit({ code: 0 });

  expect(dataOf(await waiting)).toMatchObject({ ok: true });
});

test.for(eras)('an end is reported in the way that the answer announced (%s)', async (era) => {
  await using given = await arrange({ era, script: (run) => run.comeUp() });
  const start = (name: string, input: object) =>
    given.client.callTool({ name, arguments: { command: 'make', ...input } });

  const started = await start('start_process', {});
  given.backend.lastRun.exit({ code: 0 });
  const next = await given.client.callTool(list);

  const { data } = dataOf(started) as { data: { message: string } };
  expect(data.message).toContain('next answer of any of these tools also reports its end');
  expect(data.message).not.toMatch(/you get no notice/i);
  expect(dataOf(next)).toMatchObject({ notice: expect.stringContaining('make') });
});
