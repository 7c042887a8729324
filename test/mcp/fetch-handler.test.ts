import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { createMcpFetchHandler, type McpFetchOptions } from '../../src/mcp/index.ts';
import { createVirtualHarness } from '../support/virtual.ts';
import { dataOf, type Era, eras, speaking } from './arrange.ts';
import { initialize } from './http-stage.ts';

const PAGE = 'https://app.example';

/** A handler that is called without a server; its processes are played by hand. */
function arrangeHandler(options: Partial<McpFetchOptions> = {}) {
  const { supervisor } = createVirtualHarness();
  const { fetch, close } = createMcpFetchHandler({ supervisor, ...options });
  const send = (url: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set('host', new URL(url).host);
    return fetch(new Request(url, { ...init, headers }));
  };
  return {
    send,
    close,
    supervisor,
    connect: async (era: Era, url = 'http://localhost/mcp') => {
      const client = new Client({ name: 'test', version: '1' }, speaking(era));
      const transport = new StreamableHTTPClientTransport(new URL(url), {
        fetch: (to, init) => send(String(to), init),
      });
      await client.connect(transport);
      return client;
    },
    greet: (headers: Record<string, string>, url = 'http://localhost/mcp') =>
      send(url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          ...headers,
        },
        body: JSON.stringify(initialize),
      }),
    preflight: (origin: string, url = 'http://localhost/mcp') =>
      send(url, {
        method: 'OPTIONS',
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'authorization,content-type,mcp-session-id',
        },
      }),
    [Symbol.asyncDispose]: async () => {
      await close();
      await supervisor.shutdown();
    },
  };
}

test.for(eras)('a handler answers without a server of its own (%s)', async (era) => {
  await using given = arrangeHandler({ path: '/api/agents/' });
  const client = await given.connect(era, 'http://localhost/api/agents');

  const result = await client.callTool({ name: 'start_process', arguments: { command: 'serve' } });
  await client.close();

  expect(dataOf(result)).toMatchObject({ ok: true });
  expect(given.supervisor.list().map(({ commandLine }) => commandLine)).toEqual(['serve']);
});

test.for(['/mcp', '/api', '/api/agentsmith', '/api/agents/red/blue'])(
  'a handler leaves %s to others',
  async (path) => {
    await using given = arrangeHandler({ path: '/api/agents' });

    const { status } = await given.greet({}, `http://localhost${path}`);

    expect(status).toBe(404);
  },
);

test('closing a handler ends the processes of its clients only', async () => {
  await using given = arrangeHandler();
  const client = await given.connect('modern');
  await client.callTool({ name: 'start_process', arguments: { command: 'serve' } });
  await client.close();
  given.supervisor.start({ command: 'mine', owner: 'me', background: true });

  await given.close();

  expect(given.supervisor.list().map(({ commandLine, status }) => [commandLine, status])).toEqual([
    ['mine', 'backgrounded'],
    ['serve', 'killed'],
  ]);
});

test('a page of a named origin may send and read', async () => {
  await using given = arrangeHandler({ origins: [PAGE], token: 'open' });

  const asked = await given.preflight(PAGE);
  const answered = await given.greet({ origin: PAGE, authorization: 'Bearer open' });
  const refused = await given.greet({ origin: PAGE });

  expect(asked.status).toBe(204);
  expect(Object.fromEntries(asked.headers)).toMatchObject({
    'access-control-allow-origin': PAGE,
    'access-control-allow-methods': 'GET, POST, DELETE',
    'access-control-allow-headers': 'authorization,content-type,mcp-session-id',
    vary: 'Access-Control-Request-Headers, Origin',
  });
  expect([answered.status, refused.status]).toEqual([200, 401]);
  for (const { headers } of [answered, refused]) {
    expect(headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(headers.get('access-control-expose-headers')).toContain('mcp-session-id');
  }
  expect(answered.headers.get('mcp-session-id')).not.toBeNull();
});

test.for([
  { name: 'another site', origin: 'https://evil.example', statuses: [403, 403] },
  { name: 'a local page that is not named', origin: 'http://localhost:3000', statuses: [405, 200] },
])('$name gets no header of CORS', async ({ origin, statuses }) => {
  await using given = arrangeHandler({ origins: [PAGE] });

  const answers = [await given.preflight(origin), await given.greet({ origin })];

  expect(answers.map(({ status }) => status)).toEqual(statuses);
  expect(answers.map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual([null, null]);
});

test('a named origin does not open the door to a rebound host name', async () => {
  await using given = arrangeHandler({ origins: [PAGE] });
  const url = 'http://evil.example/mcp';

  const answers = [await given.preflight(PAGE, url), await given.greet({ origin: PAGE }, url)];

  expect(answers.map(({ status }) => status)).toEqual([403, 403]);
});

test.for([
  [{ hosts: ['build.example'] }, 'Set "token"'],
  [{ hosts: 'any' }, 'Set "token"'],
  [{ origins: ['*'] }, 'The origin "*" is not valid'],
  [{ origins: ['https://app.example/'] }, 'is not valid'],
  [{ origins: ['app.example'] }, 'is not valid'],
  [{ path: 'mcp' }, 'expected a path that begins with "/"'],
  [{ sessionIdle: 'soon' }, '"sessionIdle" is "soon"'],
] as [Partial<McpFetchOptions>, string][])('%j is refused', ([options, problem]) => {
  const supervisor = () => createVirtualHarness().supervisor;

  expect(() => createMcpFetchHandler({ supervisor, ...options })).toThrow(problem);
});
