import type { Progress } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { waitUntil } from '../support/os.ts';
import { arrange, dataOf, eras } from './arrange.ts';

const command = { name: 'run_command', arguments: { command: 'make' } };

test.for(eras)('a waiting call tells its progress (%s)', async (era) => {
  await using given = await arrange({ era });
  const told: Progress[] = [];
  const call = given.client.callTool(command, { onprogress: (progress) => void told.push(progress) });
  await waitUntil(() => told.length === 1);

  given.backend.lastRun.print('compiling\n');
  await waitUntil(() => told.length === 2);
  given.clock.advance(30_000);
  await call;

  const messages = told.map(({ message }) => message);
  expect(messages[0]).toContain('runs');
  expect(messages[1]).toContain('compiling');
  expect(messages[2]).toContain('continues in the background');
  expect(told.map(({ progress }) => progress)).toEqual(
    [...new Set(told.map(({ progress }) => progress))].sort((a, b) => a - b),
  );
});

test.for(eras)('a call without a token tells no progress (%s)', async (era) => {
  await using given = await arrange({ era });
  const told: unknown[] = [];
  given.client.setNotificationHandler('notifications/progress', (progress) => void told.push(progress));
  const call = given.client.callTool(command);
  await waitUntil(() => given.backend.runs.length === 1);

  given.backend.lastRun.print('compiling\n');
  given.backend.lastRun.exit({ code: 0 });
  await call;

  expect(told).toEqual([]);
});

test.for(eras)('a cancelled call leaves its process running (%s)', async (era) => {
  await using given = await arrange({ era });
  const cancel = new AbortController();
  const call = given.client.callTool(command, { signal: cancel.signal });
  await waitUntil(() => given.backend.runs.length === 1);

  cancel.abort();
  await expect(call).rejects.toThrow();
  await waitUntil(() => given.supervisor.list()[0]?.status === 'backgrounded');
  const list = await given.client.callTool({ name: 'list_processes' });

  expect(given.backend.lastRun.signals).toEqual([]);
  expect(dataOf(list)).toMatchObject({ ok: true, data: { processes: [{ status: 'backgrounded' }] } });
});

test.for(eras)('a waiting call does not block other calls (%s)', async (era) => {
  await using given = await arrange({ era });
  const waiting = given.client.callTool(command);
  await waitUntil(() => given.backend.runs.length === 1);

  const list = await given.client.callTool({ name: 'list_processes' });
  given.backend.lastRun.exit({ code: 0 });

  expect(dataOf(list)).toMatchObject({ data: { processes: [{ status: 'running' }] } });
  expect(dataOf(await waiting)).toMatchObject({ ok: true });
});

test.for(eras)('a closed client starts nothing more (%s)', async (era) => {
  await using given = await arrange({ era });

  const closing = given.server.close();
  const call = given.client.callTool(command).catch((error: unknown) => error);
  await closing;

  expect(await call).toBeInstanceOf(Error);
  expect(given.supervisor.list({ live: true })).toEqual([]);
});

test.for(eras)('closing ends the processes of its own client (%s)', async (era) => {
  await using given = await arrange({ era });
  const { id } = given.start('serve');
  const other = given.start('serve', 'somebody');

  await given.server.close();

  expect(given.supervisor.get(id)?.view()).toMatchObject({ status: 'killed', reason: { by: 'owner' } });
  expect(other.status).toBe('backgrounded');
});
