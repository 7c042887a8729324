import { expect, test } from 'vitest';
import { waitUntil } from '../support/os.ts';
import { arrange, eras } from './arrange.ts';

test.for(eras)('each process has two resources (%s)', async (era) => {
  await using given = await arrange({ era });
  const { id } = given.start('serve');
  given.start('serve', 'somebody');

  const { resources } = await given.client.listResources();
  const { resourceTemplates } = await given.client.listResourceTemplates();

  expect(resources.map(({ uri }) => uri)).toEqual([`process://${id}`, `process://${id}/log`]);
  expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    'process://{id}',
    'process://{id}/log',
    'process://{id}/screen',
  ]);
});

test.for(eras)('a process reads as its view (%s)', async (era) => {
  await using given = await arrange({ era });
  const { id } = given.start('serve --port 80');

  const { contents } = await given.client.readResource({ uri: `process://${id}` });

  const [content] = contents as { mimeType: string; text: string }[];
  expect(content?.mimeType).toBe('application/json');
  expect(JSON.parse(content?.text ?? '')).toMatchObject({
    id,
    status: 'backgrounded',
    commandLine: 'serve --port 80',
  });
});

test.for(eras)('a log says what it leaves out (%s)', async (era) => {
  await using given = await arrange({ era });
  const { id } = given.start('chatter');
  given.backend.lastRun.print('\x1b[31mfirst\x1b[0m\n');
  for (let line = 0; line < 5_000; line += 1) given.backend.lastRun.print(`line ${line} ${'x'.repeat(90)}\n`);

  const { contents } = await given.client.readResource({ uri: `process://${id}/log` });

  const { text } = contents[0] as { text: string };
  expect(text.startsWith('first\n')).toBe(true);
  expect(text).toContain('line 4999');
  expect(text).toMatch(/\[… \d+ bytes left out/);
  expect(Buffer.byteLength(text)).toBeLessThan(260 * 1024);
});

test.for(eras)('a terminal reads as what it shows (%s)', async (era) => {
  await using given = await arrange({ era, terminal: true });
  const { id } = given.supervisor.start({
    command: 'top',
    owner: 'agent',
    interactive: true,
    background: true,
  });
  given.backend.lastRun.screen = ['load: 0.1', '', '  1 init'];

  const { resources } = await given.client.listResources();
  const during = await given.client.readResource({ uri: `process://${id}/screen` });
  given.backend.lastRun.screen = ['bye'];
  given.backend.lastRun.exit();
  const after = await given.client.readResource({ uri: `process://${id}/screen` });

  expect(resources.map(({ uri }) => uri)).toContain(`process://${id}/screen`);
  expect(during.contents).toMatchObject([{ mimeType: 'text/plain', text: 'load: 0.1\n\n  1 init\n' }]);
  expect(after.contents).toMatchObject([{ text: 'bye\n' }]);
});

test.for(eras)('a process without a terminal has no screen (%s)', async (era) => {
  await using given = await arrange({ era });
  const { id } = given.start('serve');

  const error = await given.client
    .readResource({ uri: `process://${id}/screen` })
    .catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({ code: -32_602, message: expect.stringContaining('has no terminal') });
});

test('a screen changes with what its process prints', async () => {
  const updated: string[] = [];
  await using given = await arrange({
    terminal: true,
    prepare: (client) =>
      client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
        updated.push(params.uri);
      }),
  });
  const { id } = given.supervisor.start({
    command: 'top',
    owner: 'agent',
    interactive: true,
    background: true,
  });
  const uri = `process://${id}/screen`;
  await given.client.subscribeResource({ uri });

  given.backend.lastRun.print('\x1b[2Jnew');

  await waitUntil(() => updated.includes(uri));
  expect(updated).not.toContain(`process://${id}/log`);
});

test.for(
  eras.flatMap((era) => [
    { era, uri: 'process://tool_nothing' },
    { era, uri: 'process://../../etc/passwd' },
    { era, uri: 'file:///etc/passwd' },
    { era, uri: 'process://' },
  ]),
)('$uri is not found ($era)', async ({ era, uri }) => {
  await using given = await arrange({ era });
  const { id } = given.start('serve');

  const error = await given.client.readResource({ uri }).catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({ code: -32_602, data: { uri }, message: expect.stringContaining(id) });
});

test("another client's resource is not found", async () => {
  await using given = await arrange();
  const { id } = given.start('serve', 'somebody');

  const read = given.client.readResource({ uri: `process://${id}` });

  await expect(read).rejects.toThrow('There is no resource');
});

test('a long list comes in pages', async () => {
  await using given = await arrange({ settings: { maxBackgroundProcesses: 200 } });
  const started = Array.from({ length: 130 }, (_, index) => given.start(`serve ${index}`).id);

  const first = await given.client.request({ method: 'resources/list' });
  const second = await given.client.request({
    method: 'resources/list',
    params: { cursor: first.nextCursor },
  });

  const uris = [...first.resources, ...second.resources].map(({ uri }) => uri);
  expect(first.resources.length).toBe(200);
  expect(second.nextCursor).toBeUndefined();
  expect(new Set(uris)).toEqual(new Set(started.flatMap((id) => [`process://${id}`, `process://${id}/log`])));
  await expect(given.client.request({ method: 'resources/list', params: { cursor: 'x' } })).rejects.toThrow(
    'There is no page "x"',
  );
});

test('no resource is on two pages', async () => {
  await using given = await arrange({ settings: { maxBackgroundProcesses: 1_000 } });
  // Many of one moment, and some of later ones: neither the time nor the id alone gives the order.
  const started = Array.from({ length: 230 }, (_, index) => {
    if (index % 60 === 59) given.clock.advance(1);
    return given.start(`serve ${index}`).id;
  });

  const uris: string[] = [];
  let cursor: string | undefined;
  let pages = 0;
  do {
    const page = await given.client.request({
      method: 'resources/list',
      params: { ...(cursor && { cursor }) },
    });
    uris.push(...page.resources.map(({ uri }) => uri));
    cursor = page.nextCursor;
    pages += 1;
    // What comes meanwhile is newer than the first page, and moves nothing.
    given.start('late');
  } while (cursor !== undefined);

  expect(pages).toBe(3);
  expect(uris.toSorted()).toEqual(
    started.flatMap((id) => [`process://${id}`, `process://${id}/log`]).toSorted(),
  );
});

test('a subscriber is notified only of its subscriptions', async () => {
  const updated: string[] = [];
  let lists = 0;
  await using given = await arrange({
    prepare: (client) => {
      client.setNotificationHandler(
        'notifications/resources/updated',
        ({ params }) => void updated.push(params.uri),
      );
      client.setNotificationHandler('notifications/resources/list_changed', () => {
        lists += 1;
      });
    },
  });
  const [heard, other] = [given.start('serve'), given.start('serve too')];
  await given.client.subscribeResource({ uri: `process://${heard.id}` });
  await given.client.subscribeResource({ uri: `process://${heard.id}/log` });
  await waitUntil(() => lists > 0);
  const listsBefore = lists;

  given.backend.runs[0]?.print('hello\n');
  await waitUntil(() => updated.includes(`process://${heard.id}/log`));
  for (const run of given.backend.runs) run.exit({ code: 0 });
  await waitUntil(() => lists > listsBefore && updated.includes(`process://${heard.id}`));

  expect(updated.filter((uri) => uri.includes(other.id))).toEqual([]);
});

test('an unsubscribed client gets no more updates', async () => {
  const updated: string[] = [];
  await using given = await arrange({
    prepare: (client) =>
      client.setNotificationHandler(
        'notifications/resources/updated',
        ({ params }) => void updated.push(params.uri),
      ),
  });
  const [left, kept] = [given.start('serve'), given.start('serve too')];
  for (const { id } of [left, kept]) await given.client.subscribeResource({ uri: `process://${id}` });
  await given.client.unsubscribeResource({ uri: `process://${left.id}` });
  updated.length = 0;

  for (const run of given.backend.runs) run.exit({ code: 0 });
  await waitUntil(() => updated.includes(`process://${kept.id}`));

  expect(updated).not.toContain(`process://${left.id}`);
});

test.for(eras)('changes of one moment are reported once (%s)', async (era) => {
  const [lists, logs, updated]: string[][] = [[], [], []];
  await using given = await arrange({
    era,
    timing: { quiet: 200 },
    prepare: (client) => {
      client.setNotificationHandler(
        'notifications/resources/updated',
        ({ params }) => void updated?.push(params.uri),
      );
      client.setNotificationHandler(
        'notifications/resources/list_changed',
        () => void lists?.push('changed'),
      );
      client.setNotificationHandler(
        'notifications/message',
        ({ params }) => void logs?.push(String(params.data)),
      );
    },
  });
  if (era === 'modern') await given.client.listen({ resourcesListChanged: true });
  const [first] = Array.from({ length: 10 }, (_, index) => given.start(`serve ${index}`));
  await waitUntil(() => lists?.length === 1);
  const uri = `process://${first?.id}`;
  if (era === 'legacy') await given.client.subscribeResource({ uri });
  else await given.client.listen({ resourceSubscriptions: [uri] });

  for (const run of given.backend.runs) run.exit({ code: 0 });
  await waitUntil(
    () => lists?.length === 2 && updated?.includes(uri) && (era === 'modern' || logs?.length === 1),
  );

  expect(lists).toEqual(['changed', 'changed']);
  expect(updated).toEqual([uri]);
  if (era === 'legacy') expect(logs).toEqual([expect.stringContaining('processes="10"')]);
});

test('a subscription to an unknown resource is refused', async () => {
  await using given = await arrange();

  const subscription = given.client.subscribeResource({ uri: 'process://tool_nothing' });

  await expect(subscription).rejects.toThrow('There is no resource');
});

test('a screen that is none is refused to reader and subscriber alike', async () => {
  await using given = await arrange();
  const uri = `process://${given.start('serve').id}/screen`;

  const read = await given.client.readResource({ uri }).catch((error: Error) => error.message);
  const subscribed = await given.client.subscribeResource({ uri }).catch((error: Error) => error.message);

  expect(read).toContain('has no terminal');
  expect(subscribed).toBe(read);
});

test('a client of the newer era gets updates it subscribed to', async () => {
  const updated: string[] = [];
  let lists = 0;
  await using given = await arrange({
    era: 'modern',
    prepare: (client) => {
      client.setNotificationHandler(
        'notifications/resources/updated',
        ({ params }) => void updated.push(params.uri),
      );
      client.setNotificationHandler('notifications/resources/list_changed', () => {
        lists += 1;
      });
    },
  });
  const [heard, other] = [given.start('serve'), given.start('serve too')];
  const uris = [`process://${heard.id}`, `process://${heard.id}/log`];
  const subscription = await given.client.listen({ resourcesListChanged: true, resourceSubscriptions: uris });

  given.backend.runs[0]?.print('hello\n');
  await waitUntil(() => updated.includes(`process://${heard.id}/log`));
  for (const run of given.backend.runs) run.exit({ code: 0 });
  await waitUntil(() => lists > 0 && updated.includes(`process://${heard.id}`));
  await given.server.close();

  expect(updated.filter((uri) => uri.includes(other.id))).toEqual([]);
  expect(await subscription.closed).toBe('graceful');
});
