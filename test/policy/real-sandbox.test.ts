import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import {
  createConversation,
  createScriptedModel,
  createSupervisor,
  type PolicyOptions,
} from '../../src/index.ts';
import { fromLayers, toSettings } from '../../src/policy/create-policy.ts';
import { installedSandbox, shareSandbox } from '../../src/policy/sandbox/sandbox-runtime.ts';
import { isInstalled } from '../support/installed.ts';
import { commandOf, isAlive, listPids, parentOf, stateOf, waitUntil } from '../support/os.ts';

/** Containers may have the programs and no user namespaces. */
const hasNamespaces = (): boolean => {
  const args = ['--ro-bind', '/', '/', '--unshare-all', '--dev', '/dev', '--proc', '/proc', 'true'];
  if (spawnSync('bwrap', args).status === 0) return true;
  console.warn('bwrap cannot create a namespace here: its tests are SKIPPED.');
  return false;
};

const isHere =
  process.platform === 'linux' &&
  isInstalled('bwrap', 'bubblewrap') &&
  isInstalled('socat') &&
  isInstalled('rg', 'ripgrep') &&
  hasNamespaces();

/** Returns the live children of a program that listen on a socket for the sandbox, with the path of the socket. */
function findFilters(parent: number | undefined) {
  return listPids().flatMap((pid) => {
    const socket = commandOf(pid)
      .map((word) => /^UNIX-LISTEN:([^,]+)/.exec(word)?.[1])
      .find((path) => path !== undefined);
    const isChild = stateOf(pid) === 'S' && parentOf(pid) === parent;
    return isChild && socket !== undefined ? [{ pid, socket }] : [];
  });
}

/** Enforced by the operating system; the policy itself asks nothing. */
describe.skipIf(!isHere)('a command in the sandbox', () => {
  let base: string;
  let workspace: string;
  beforeAll(() => {
    base = mkdtempSync(join(tmpdir(), 'troupe-sandbox-'));
    // The home directory is closed.
    vi.stubEnv('HOME', base);
    workspace = join(base, 'work');
    mkdirSync(join(workspace, '.git/hooks'), { recursive: true });
    mkdirSync(join(workspace, 'agents'));
    mkdirSync(join(base, 'other'));
    writeFileSync(join(base, 'other/secret'), 'sesame');
    writeFileSync(join(workspace, '.git/config'), '[core]\n');
    writeFileSync(join(workspace, '.git/HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(join(workspace, 'agents/reviewer.yaml'), 'name: reviewer\n');
    writeFileSync(join(workspace, 'notes.txt'), 'buy milk\n');
  });
  afterAll(() => {
    vi.unstubAllEnvs();
    rmSync(base, { recursive: true, force: true });
  });

  const run = async (command: string, more: PolicyOptions = {}) => {
    const settings = toSettings(
      { ...{ mode: 'dangerous', workspace, restrictToWorkspace: true, sandbox: 'require' }, ...more },
      workspace,
    );
    // Policies that other tests have not closed hold the network of the program as they want it.
    const policy = fromLayers([settings], shareSandbox(installedSandbox.acquire));
    const supervisor = createSupervisor({ stateDirectory: false, cwd: workspace });
    const { command: wrapped, env, ended } = await policy.prepare({ command, cwd: workspace });
    const result = await supervisor.execute({ command, wrappedCommand: wrapped as readonly string[], env });
    ended();
    const [view] = supervisor.list();
    await supervisor.shutdown();
    await policy.close();
    return { result, view };
  };
  const outputOf = async (command: string, more: PolicyOptions = {}) => {
    const { result } = await run(command, more);
    return 'stdout' in result ? `${result.stdout}${result.stderr}` : result.type;
  };

  test('works in its workspace', async () => {
    expect(
      await outputOf(
        'cat notes.txt; echo done > made.txt; f=$(mktemp); echo $f; rm $f; node --version; git --version',
      ),
    ).toMatch(/^buy milk\n\/tmp\/\S+\nv\d.*\ngit version/);
    expect(existsSync(join(workspace, 'made.txt'))).toBe(true);
  });

  test('reads no file beside the workspace, unless it is named as readable', async () => {
    const other = join(base, 'other');
    expect(await outputOf('cat ../other/secret; cat ~/.ssh/* ~/.npmrc; ls ..')).not.toMatch(/sesame|other$/m);
    expect(await outputOf('cat ../other/secret', { sandboxRead: [other] })).toBe('sesame');
    expect(await outputOf('echo x > ../other/new', { sandboxRead: [other] })).toMatch(/Read-only/);
  });

  test('writes neither beside the workspace nor into what programs obey', async () => {
    const before = readdirSync(workspace);
    for (const file of ['.git/hooks/pre-commit', '.git/config', 'agents/reviewer.yaml'])
      expect(await outputOf(`echo x >> ${file}`)).toMatch(/Read-only file system/);
    await outputOf('echo x > ../out; echo x > ~/.troupe-out');

    expect(existsSync(join(base, 'out'))).toBe(false);
    expect(existsSync(join(base, '.troupe-out'))).toBe(false);
    expect(readdirSync(join(workspace, '.git/hooks'))).toEqual([]);
    expect(readdirSync(workspace)).toEqual(before);
  });

  test.each([
    ['open', ['port: hello', 'socket: EPERM']],
    [[], ['port: ECONNREFUSED', 'socket: EPERM']],
  ] as const)(
    'with the network %j reaches a port of this machine, and no socket in a file',
    async (sandboxNetwork, expected) => {
      const server = createServer((socket) => socket.end('hello'));
      const inFile = createServer((socket) => socket.end('hello'));
      await once(server.listen(0, '127.0.0.1'), 'listening');
      await once(inFile.listen(join(workspace, 'a.sock')), 'listening');
      const { port } = server.address() as AddressInfo;
      writeFileSync(
        join(workspace, 'connect.mjs'),
        `import { connect } from 'node:net';
      const name = process.argv[2];
      connect(JSON.parse(process.argv[3])).on('data', (data) => console.log(name + ': ' + data)).on('error', (error) => console.log(name + ': ' + error.code));`,
      );

      const output = await outputOf(
        `node connect.mjs port '{"host":"127.0.0.1","port":${port}}'; node connect.mjs socket '{"path":"a.sock"}'`,
        { sandboxNetwork },
      );
      server.close();
      inFile.close();

      expect(output.trim().split('\n')).toEqual(expected);
    },
  );

  test.each(['SIGKILL', 'in order'] as const)(
    'leaves no filter of the network when its program ends: %s',
    async (how) => {
      const program = `import { createPolicy } from ${JSON.stringify(join(import.meta.dirname, '../../src/index.ts'))};
      const policy = createPolicy({ workspace: ${JSON.stringify(workspace)}, restrictToWorkspace: true, sandbox: 'require', sandboxNetwork: [] });
      await policy.prepare({ command: 'true' });
      console.log('ready');
      process.stdin.once('data', () => policy.close().then(() => process.stdin.destroy()));`;
      const host = spawn(process.execPath, ['--input-type=module', '-e', program], {
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      await once(host.stdout, 'data');
      const filters = findFilters(host.pid);
      expect(filters).not.toEqual([]);
      const sockets = filters.map(({ socket }) => socket);

      if (how === 'SIGKILL') host.kill('SIGKILL');
      else host.stdin.write('close');
      await once(host, 'exit');

      await waitUntil(
        () => filters.every(({ pid }) => !isAlive(pid)) && !sockets.some((path) => existsSync(path)),
      );
    },
  );

  test('ends by the signal that ended it, and is shown as it was given', async () => {
    const killed = await run('kill -9 $$');
    expect(killed.view).toMatchObject({ commandLine: 'kill -9 $$', exit: { code: null, signal: 'SIGKILL' } });
    expect((await run('exit 3')).view).toMatchObject({ exit: { code: 3, signal: null } });
  });

  test('keeps the words of an agent in views and in the notice', async () => {
    const supervisor = createSupervisor({ stateDirectory: false, cwd: workspace });
    const conversation = createConversation({
      supervisor,
      policy: { mode: 'auto', workspace, restrictToWorkspace: true, sandbox: 'require' },
      model: createScriptedModel([
        { calls: [{ name: 'start_process', arguments: { command: 'sleep 0.2; exit 4' } }] },
        { text: 'It runs.' },
        { text: 'It failed.' },
      ]),
    });
    await conversation.say('go');
    await Promise.all(supervisor.list().map(({ id }) => supervisor.get(id)?.ended));
    await conversation.idle();

    expect(supervisor.list()).toMatchObject([
      { commandLine: 'sleep 0.2; exit 4', metadata: { workspaceHeldBy: 'sandbox' }, exit: { code: 4 } },
    ]);
    const notice = conversation.transcript.find(({ role }) => role === 'notice')?.text;
    expect(notice).toContain('sleep 0.2; exit 4');
    expect(notice).not.toContain('bwrap');
    await conversation.close();
    await supervisor.shutdown();
  });
});
