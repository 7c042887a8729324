import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findNatsServer, hasNatsServer, type NatsServer, startNats } from '../support/nats.ts';
import { carriers, isAlive, waitUntil } from '../support/os.ts';
import { callProgram } from './call-program.ts';
import { daemonProject } from './daemon-project.ts';
import { projectDir, runProgram, STARTED_WITHIN_MS, startProgram } from './program.ts';

const within = { withinMs: STARTED_WITHIN_MS };

/** Starts `troupe worker`, with its temporary files in its project; what it prints can be read while it runs. */
function startWorker(flags: readonly string[], env: Record<string, string>) {
  const project = projectDir();
  const { child, ran } = startProgram(['worker', ...flags], {
    cwd: project.path,
    env: { ...project.env, TMPDIR: project.path, ...env },
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  return {
    path: project.path,
    ran,
    /** Waits until it has printed this. */
    prints: (text: string) => waitUntil(() => printed.includes(text), { ...within, what: text }),
    printed: () => printed,
    signal: (signal: NodeJS.Signals) => child.kill(signal),
    kill: () => child.kill('SIGKILL'),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ran;
      await project[Symbol.asyncDispose]();
    },
  };
}

/** A project whose command line knows the servers. */
function remoteProject(servers: string) {
  const project = daemonProject();
  const given = { cwd: project.path, env: { ...project.env, TROUPE_SERVERS: servers } };
  return {
    ...project,
    troupe: (...args: readonly string[]) => runProgram(args, given),
    call: (...args: readonly string[]) => callProgram(args, given),
  };
}

describe.skipIf(!(await hasNatsServer()))('troupe worker', { timeout: 120_000 }, () => {
  let nats: NatsServer;
  /** Worker of the pool `first`, shared by the tests that only run commands. */
  let first: ReturnType<typeof startWorker>;
  beforeAll(async () => {
    nats = await startNats();
    const env = { HF_TOKEN: 'one', GITHUB_TOKEN: 'two', PLAIN: 'three' };
    first = await open('first', { flags: ['--capacity', '7', '--env', 'HF_TOKEN'], env });
  });
  afterAll(async () => {
    await first[Symbol.asyncDispose]();
    await nats[Symbol.asyncDispose]();
  });

  /** Starts a worker of a pool of its own. */
  const open = async (
    pool: string,
    { flags = [], env = {} }: { flags?: string[]; env?: Record<string, string> } = {},
  ) => {
    const servers = nats.url.replace('//', '//someone:secret@');
    const worker = startWorker(['--pools', pool, '--name', pool, ...flags], {
      TROUPE_SERVERS: servers,
      ...env,
    });
    await worker.prints(`takes commands of the pool ${pool}`);
    return worker;
  };

  test('the first line of a worker has name, pools, places and servers', () => {
    expect(first.printed()).toMatch(
      /^worker first\.\w+ takes commands of the pool first, 7 at once, from nats:\/\/127\.0\.0\.1:\d+\n$/,
    );
  });

  test('a command runs in its directory and ends with its exit code', async () => {
    await using project = remoteProject(nats.url);

    const ran = await project.troupe('run', '--host', 'pool:first', '--shell', '--', 'pwd; cat; exit 3');

    expect(ran).toEqual({ code: 3, stdout: `${first.path}\n`, stderr: '' });
  });

  test('a command gets the variables that are named, and no way to the servers', async () => {
    await using project = remoteProject(nats.url);
    const script = 'echo $HF_TOKEN/$GITHUB_TOKEN/$PLAIN/$MINE/$TROUPE_SERVERS';

    const { stdout } = await project.troupe(
      ...['run', '--host', 'pool:first', '--env', 'MINE=four', '--shell', '--', script],
    );

    expect(stdout).toBe('one//three/four/\n');
  });

  test('a background command is listed with its pool, read and killed', async () => {
    await using project = remoteProject(nats.url);
    const command = ['sh', '-c', 'echo up; sleep 300'];

    const started = await project.troupe('start', '--name', 'it', '--host', 'pool:first', '--', ...command);
    const id = started.stdout.trim();
    await waitUntil(async () => (await project.call('logs', 'it')).stdout === 'up\n', within);
    const listed = await project.call('ps');
    const shown = await project.call('show', 'it');
    const killed = await project.troupe('kill', 'it');

    expect(started).toMatchObject({ code: 0, stderr: '' });
    expect(listed.stdout).toContain('└ in pool:first');
    expect(shown.stdout).toMatch(/host +pool:first/);
    expect(killed).toMatchObject({ code: 0, stderr: '' });
    expect(carriers(`/${id}/`)).toEqual([]);
  });

  test('a process of a stack file runs in its pool', async () => {
    await using project = remoteProject(nats.url);
    const processes = { far: { command: 'echo up; sleep 300', host: 'pool:first', ready: { line: 'up' } } };
    writeFileSync(join(project.path, 'troupe.yaml'), JSON.stringify({ processes }));

    const up = await project.troupe('up', '-d');
    const listed = await project.call('ps');
    const down = await project.call('down');

    expect(up).toMatchObject({ code: 0 });
    expect(listed.stdout).toContain('└ in pool:first');
    expect(down).toMatchObject({ code: 0 });
  });

  test('a start that no worker takes is answered with its id', async () => {
    await using project = remoteProject(nats.url);

    const started = await project.troupe('start', '--host', 'pool:unused', '--', 'true');
    const id = started.stdout.trim();
    const shown = await project.call('show', id);
    const killed = await project.call('kill', id);

    expect(started.stderr).toContain(
      'no worker of pool:unused has started it yet; it starts when a worker takes it',
    );
    expect(shown.stdout).toContain('pending: no worker of pool:unused has started it');
    expect(killed.code).toBe(0);
  });

  test('a command whose daemon died is killed by the command line alone', async () => {
    await using project = remoteProject(nats.url);
    const started = await project.troupe('start', '--host', 'pool:first', '--', 'sleep', '300');
    const id = started.stdout.trim();
    await waitUntil(() => carriers(`/${id}/`).length > 0, within);
    const { checks } = JSON.parse((await project.call('doctor', '--json')).stdout);
    const daemon = Number(/\d+/.exec(checks.find(({ name }: { name: string }) => name === 'daemon').says));
    process.kill(daemon, 'SIGKILL');
    await waitUntil(() => !isAlive(daemon));

    const killed = await project.troupe('kill', id);

    expect(killed).toMatchObject({ code: 0, stderr: '' });
    expect(carriers(`/${id}/`)).toEqual([]);
  });

  test('the first signal drains it', async () => {
    await using worker = await open('drained');
    await using project = remoteProject(nats.url);
    const args = ['--host', 'pool:drained', '--', 'sh', '-c', 'read x; echo ended'];
    await project.troupe('start', '--name', 'it', '--stdin', ...args);
    await waitUntil(async () => (await project.call('show', 'it')).stdout.includes('pid'), within);

    worker.signal('SIGTERM');
    await worker.prints('takes no more commands; 1 still run, and a second signal kills them');
    await project.call('write', 'it', 'now');

    expect(await worker.ran).toMatchObject({ code: 0, stderr: '' });
    expect((await project.call('logs', 'it')).stdout).toBe('ended\n');
  });

  test('the second signal kills what runs', async () => {
    await using worker = await open('killed');
    await using project = remoteProject(nats.url);
    const started = await project.troupe('start', '--host', 'pool:killed', '--', 'sleep', '300');
    const id = started.stdout.trim();
    await waitUntil(() => carriers(`/${id}/`).length > 0, within);

    worker.signal('SIGINT');
    await worker.prints('takes no more commands');
    worker.signal('SIGINT');
    const ran = await worker.ran;

    expect(ran).toMatchObject({ code: 130, stderr: '' });
    expect(carriers(`/${id}/`)).toEqual([]);
    expect((await project.call('wait', id)).code).toBe(137);
  });

  test('a server of its own ends with it', async () => {
    const port = Number(new URL(nats.url).port) + 1;
    const env = { TROUPE_NATS_SERVER: (await findNatsServer()) ?? '', TROUPE_SERVERS: nats.url };
    await using worker = startWorker(['--dev', '--servers', `127.0.0.1:${port}`], env);
    await worker.prints('takes commands of the pool default');
    const [, servers = ''] = /export TROUPE_SERVERS=(\S+)/.exec(worker.printed()) ?? [];
    await using project = remoteProject(servers);

    const ran = await project.troupe('run', '--host', 'pool:default', '--', 'echo', 'hi');
    const refused = await callProgram(['doctor', '--servers', `127.0.0.1:${port}`], { cwd: project.path });
    worker.signal('SIGTERM');

    expect(ran).toEqual({ code: 0, stdout: 'hi\n', stderr: '' });
    expect(refused.stdout).toContain('Authorization Violation');
    expect(await worker.ran).toMatchObject({ code: 0, stderr: '' });
    expect((await callProgram(['doctor', '--servers', servers], { cwd: project.path })).code).toBe(1);
  });

  test('a server of its own dies with a killed worker', async () => {
    const port = Number(new URL(nats.url).port) + 2;
    await using worker = startWorker(['--dev', '--servers', `127.0.0.1:${port}`], {
      TROUPE_NATS_SERVER: (await findNatsServer()) ?? '',
    });
    await worker.prints('takes commands of the pool default');
    const [, servers = ''] = /export TROUPE_SERVERS=(\S+)/.exec(worker.printed()) ?? [];

    worker.kill();
    await worker.ran;

    const isGone = async () =>
      (await callProgram(['doctor', '--servers', servers], { cwd: worker.path })).code === 1;
    await waitUntil(isGone, within);
  });
});

test.each<[string, readonly string[], Record<string, string>, string]>([
  ['no servers', [], {}, 'No servers are known: give --servers, or set TROUPE_SERVERS'],
  ['a variable that is not there', ['--env', 'NONE'], {}, '--env is "NONE"; expected the name of a variable'],
  ['no place', ['--capacity', '0'], {}, '--capacity is "0"; expected a number from 1'],
  ['a pool of two words', ['--pools', 'a b'], {}, '--pools is "a b"; expected a name of 1 to 64 letters'],
  ['a missing directory', ['--cwd', 'none'], {}, '--cwd is "none"; expected a directory that exists'],
  ['another machine', ['--dev', '--servers', 'nats://far:4222'], {}, 'expected an address of this machine'],
  [
    'a missing program',
    ['--dev'],
    { PATH: '/none' },
    '--dev needs nats-server 2.12 or newer, and there is none',
  ],
])('a worker with %s is refused in words', async (what, flags, env, words) => {
  await using project = projectDir();
  const servers = what === 'no servers' ? '' : 'nats://127.0.0.1:1';

  const ran = await callProgram(['worker', ...flags], {
    ...{ cwd: project.path, env: { TROUPE_NATS_SERVER: '', TROUPE_SERVERS: servers, ...env } },
  });

  expect(ran.code).toBe(what === 'a missing program' ? 1 : 2);
  expect(ran.stderr).toContain(words);
  expect(existsSync(project.file('.troupe'))).toBe(false);
});

test.each([
  ['nowhere', 'nats://127.0.0.1:1', '--host is "nowhere"; expected "local" or a pool'],
  ['pool:gpu', '', '--host is "pool:gpu"; no servers are known: set TROUPE_SERVERS'],
])('the host %s is refused in words', async (host, servers, words) => {
  await using project = projectDir();

  const ran = await callProgram(['run', '--host', host, '--', 'true'], {
    ...{ cwd: project.path, env: { TROUPE_SERVERS: servers } },
  });

  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain(words);
});

test('permissions are printed for each tenant and worker', async () => {
  await using project = projectDir();
  const flags = ['--tenant', 'acme', '--tenant', 'other', '--worker', 'w1', '--pools', 'gpu'];

  const ran = await callProgram(['worker', '--print-permissions', ...flags], { cwd: project.path });

  expect(ran).toMatchObject({ code: 0, stderr: '' });
  for (const text of ['"TENANT_acme" {', '"TENANT_other" {', 'user: "worker_w1"', 'pool_gpu'])
    expect(ran.stdout).toContain(text);
});
