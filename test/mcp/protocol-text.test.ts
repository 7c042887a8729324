import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { createCallProgress } from '../../src/mcp/call-progress.ts';
import { createOwner } from '../../src/mcp/create-owner.ts';
import { allowOrigin, answerPreflight, isPreflight, parseOrigin } from '../../src/mcp/http/cross-origin.ts';
import { guardRequest, refusal } from '../../src/mcp/http/guard-request.ts';
import { formatAddress, parseHttpAddress } from '../../src/mcp/http/http-address.ts';
import { parseToolSets } from '../../src/mcp/parse-tool-sets.ts';
import { parseProcessUri } from '../../src/mcp/process-uri.ts';
import type { ProcessHandle } from '../../src/process/process-handle.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';
import { arrange, eras, type StageOptions } from './arrange.ts';

/** Returns the client's view of two processes, one of them in a terminal, with the ids replaced. */
async function look(options: StageOptions): Promise<string> {
  await using given = await arrange({ settings: { epochMs: 0, cwd: '/' }, version: '1.2.3', ...options });
  const { client, supervisor, backend } = given;
  const lines: string[] = [];
  const show = (title: string, value: unknown) =>
    lines.push(`# ${title}`, JSON.stringify(value, null, 1), '');
  const fail = (uri: string) =>
    client.readResource({ uri }).then(
      () => show(`no error for ${uri}`, null),
      ({ code, message }) => show(`error for ${uri}`, { code, message }),
    );
  const subscribe = (uri: string) =>
    client
      .subscribeResource({ uri })
      .catch(({ code, message }) => show(`no subscription to ${uri}`, { code, message }));
  show('server', client.getServerVersion());
  show('capabilities', client.getServerCapabilities());
  show('instructions', client.getInstructions());
  show('templates', (await client.listResourceTemplates()).resourceTemplates);
  await fail('process://tool_none');
  const web = given.start(`serve ${'x'.repeat(200)}`);
  backend.lastRun.print('1234\n');
  given.clock.advance(1_000);
  const top = supervisor.start({
    ...{ command: 'top', owner: 'agent', label: 'monitor', interactive: true, background: true },
  });
  backend.lastRun.screen = ['load: 0.1'];
  backend.runs[0]?.exit({ code: 3 });
  await turn();
  show('resources', (await client.listResources()).resources);
  for (const part of ['/log', '/screen'])
    await client
      .readResource({ uri: `process://${part === '/log' ? web.id : top.id}${part}` })
      .then(({ contents }) => show(part, contents));
  await fail(`process://${web.id}/screen`);
  await fail('process://tool_none/log');
  await fail('file:///etc/passwd');
  if (options.era === 'legacy') await subscribe('process://tool_none');
  await client
    .listResources({ cursor: 'next' })
    .catch(({ code, message }) => show('no page', { code, message }));
  await client
    .callTool({ name: 'run_comand', arguments: {} })
    .catch(({ code, message }) => show('no tool', { code, message }));
  show(
    'failed call',
    await client.callTool({ name: 'check_process', arguments: { process_id: 'tool_none' } }),
  );
  show('call', await client.callTool({ name: 'list_processes' }));
  return lines.join('\n').replaceAll(web.id, 'tool_1').replaceAll(top.id, 'tool_2');
}

test.for(eras)('a client sees the same texts as before (%s)', async (era) => {
  const text = await look({ era, terminal: true });

  await expect(text).toMatchFileSnapshot(join(import.meta.dirname, `golden/client-${era}.txt`));
});

test('a server whose processes stay says so', async () => {
  await using given = await arrange({ keepsProcesses: true });

  expect(given.client.getInstructions()).toBe(
    'Commands run as supervised processes; one that takes long continues in the background and has an id. Nothing wakes you when it ends: ' +
      'wait for it, or ask. The next answer of any of these tools also reports an end that you have not seen yet. Cancelling a call ends ' +
      'the waiting and not the process. Processes outlive this connection: what earlier ones have started is still there, and ends that ' +
      'none has seen are reported to you.',
  );
});

/** Reports of the progress of a process whose clock stands still. */
function followProcess({ everyMs = 3_600_000 } = {}) {
  const rig = createVirtualHarness();
  const told: { readonly progress: number; readonly message: string }[] = [];
  const progress = createCallProgress((report) => void told.push(report), { everyMs });
  return {
    ...{ ...rig, progress, told },
    hide: ({ id }: ProcessHandle) => told.map(({ message }) => message.replace(id, 'ID')),
    [Symbol.asyncDispose]: async () => {
      progress.stop();
      await rig[Symbol.asyncDispose]();
    },
  };
}

test('each status of a process is a report, and its end is none', async () => {
  await using given = followProcess();
  const handle = given.supervisor.start({ command: 'make', label: 'build' });
  given.progress.follow(handle);
  given.progress.follow(handle);
  await turn();
  handle.background();
  await turn();
  given.run(0).exit();
  await turn();

  expect(given.hide(handle)).toEqual([
    'ID (build) runs, 0 bytes of output after 0 ms.',
    'ID (build) continues in the background.',
  ]);
  const numbers = given.told.map(({ progress }) => progress);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  expect(new Set(numbers).size).toBe(numbers.length);
});

test('output that grows is a report with its last line', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  await using given = followProcess({ everyMs: 100 });
  const handle = given.supervisor.start({ command: 'make' });
  given.progress.follow(handle);
  await turn();
  given.clock.advance(25_000);
  given.run(0).print('compiling\nlinking  \n');

  vi.advanceTimersByTime(100);
  vi.advanceTimersByTime(100);
  given.progress.stop();
  given.run(0).print('more\n');
  vi.advanceTimersByTime(100);
  vi.useRealTimers();

  expect(given.hide(handle).slice(1)).toEqual(['ID runs, 20 bytes of output after 25s: linking']);
});

test('a process that waits for a slot is reported so', async () => {
  await using given = followProcess();
  const supervisor = given.supervisor;
  const running = Array.from({ length: 40 }, () => supervisor.start({ command: 'make' }));
  const queued = running.find((handle) => {
    const view = handle.view();
    return view.status === 'pending' && view.queued;
  });
  if (queued === undefined) throw new Error('No process is queued.');

  given.progress.follow(queued);

  expect(given.hide(queued)).toEqual(['ID waits for a free slot.']);
});

test('a process that is being stopped is reported by its status', async () => {
  await using given = followProcess();
  const handle = given.supervisor.start({ command: 'make' });
  await turn();
  given.run(0).obeys = () => false;
  void handle.kill();
  await turn();

  given.progress.follow(handle);
  given.run(0).obeys = () => true;

  expect(given.hide(handle)).toEqual(['ID is stopping.']);
});

test.for([
  [null, /^mcp-\w{8}$/],
  ['', /^mcp-\w{8}$/],
  ['Claude Code', /^mcp-Claude-Code-\w{8}$/],
  ['--a.b_c!!d--', /^mcp-a\.b_c-d-\w{8}$/],
  ['x'.repeat(40), /^mcp-x{32}-\w{8}$/],
] as const)('a client named %j owns its processes as %s', ([name, pattern]) => {
  expect(createOwner(name)).toMatch(pattern);
});

test.for([
  ['process://tool_1', { id: 'tool_1', part: 'view' }],
  ['process://tool_1/log', { id: 'tool_1', part: 'log' }],
  ['process://tool_1/screen', { id: 'tool_1', part: 'screen' }],
  [`process://${'x'.repeat(64)}`, { id: 'x'.repeat(64), part: 'view' }],
  [`process://${'x'.repeat(65)}`, null],
  ['process://tool_1/', null],
  ['process://tool_1/log/x', null],
  ['process://tool_1/view', null],
  ['process://', null],
  ['x process://tool_1', null],
] as const)('the URI %s names %j', ([uri, address]) => {
  expect(parseProcessUri(uri)).toEqual(address);
});

test('an unknown tool set is refused with those that exist', () => {
  expect(() => parseToolSets('xyzzy')).toThrow(
    'There is no tool set "xyzzy". There are process, background_process, bg, process_action, bash, exec.',
  );
});

test.for([
  ['', '""'],
  ['localhost:65536', '"localhost:65536"'],
  ['a b', '"a b"'],
] as const)('the address %j is refused with an example', ([text, quoted]) => {
  expect(() => parseHttpAddress(text)).toThrow(
    `The address ${quoted} is not valid; expected a port, a host or both, such as "127.0.0.1:8080" or "[::1]:8080".`,
  );
});

test.for([
  ['65535', '10.0.0.1:65535'],
  ['localhost', 'localhost:99'],
  ['[::1]', '[::1]:99'],
] as const)('the address %s is completed with the defaults', ([text, address]) => {
  expect(formatAddress(parseHttpAddress(text, { host: '10.0.0.1', port: 99 }))).toBe(address);
});

test('a refusal is an error of the protocol', async () => {
  const response = refusal(503, 'Busy.', { 'retry-after': '5' });

  expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
  expect(await response.json()).toEqual({
    jsonrpc: '2.0',
    id: null,
    error: { code: -32_000, message: 'Busy.' },
  });
});

test('a missing token is asked for', async () => {
  const request = new Request('http://127.0.0.1/mcp', { headers: { host: 'localhost' } });

  const refused = guardRequest(request, { hosts: [], origins: [], token: 'abc' });

  expect(refused?.headers.get('www-authenticate')).toBe('Bearer');
  expect(await refused?.json()).toMatchObject({
    error: { message: 'This server requires its token: send it as "Authorization: Bearer <token>".' },
  });
});

const page = 'https://app.example';
const ask = (method: string, headers: Record<string, string>) =>
  new Request('http://127.0.0.1/mcp', { method, headers });
const asked = { origin: page, 'access-control-request-method': 'POST' };

test.for([
  ['OPTIONS', asked, [page], true],
  ['POST', asked, [page], false],
  ['OPTIONS', { origin: page }, [page], false],
  ['OPTIONS', asked, ['https://other.example'], false],
  ['OPTIONS', { 'access-control-request-method': 'POST' }, [page], false],
] as const)('%s with %j to a server of %j is a preflight: %s', ([method, headers, origins, expected]) => {
  expect(isPreflight(ask(method, headers), origins)).toBe(expected);
});

test('a preflight is answered for ten minutes', () => {
  const { status, headers } = answerPreflight(ask('OPTIONS', asked));

  expect([status, Object.fromEntries(headers)]).toEqual([
    204,
    {
      'access-control-allow-methods': 'GET, POST, DELETE',
      'access-control-allow-headers': '',
      'access-control-max-age': '600',
      vary: 'Access-Control-Request-Headers',
    },
  ]);
});

test.for([
  [[], page, {}],
  [['https://other.example'], page, { vary: 'Origin' }],
  [
    [page],
    page,
    {
      vary: 'Origin',
      'access-control-allow-origin': page,
      'access-control-expose-headers': 'mcp-session-id, mcp-protocol-version, www-authenticate',
    },
  ],
  [[page], '', { vary: 'Origin' }],
] as const)('a server of %j lets %j read with %j', ([origins, origin, expected]) => {
  const request = ask('POST', origin === '' ? {} : { origin });

  const { headers } = allowOrigin(new Response(null), { request, origins });

  expect(Object.fromEntries(headers)).toEqual(expected);
});

test.for([
  ['https://APP.example', 'https://app.example'],
  ['http://localhost:3000', 'http://localhost:3000'],
  ['vscode-webview://abc', 'vscode-webview://abc'],
] as const)('the origin %s is taken as %s', ([text, origin]) => {
  expect(parseOrigin(text)).toBe(origin);
});

test.for(['*', 'app.example', 'https://app.example/', 'https://app.example:443', 'https://a b', 'x://a/b'])(
  'the origin %s is refused with an example',
  (text) => {
    expect(() => parseOrigin(text)).toThrow(
      `The origin "${text}" is not valid; expected a scheme and a host, without a path, and a port unless it is the usual one, such as "https://app.example" or "http://localhost:3000".`,
    );
  },
);
