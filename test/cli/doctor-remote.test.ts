import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openWorker } from '../../src/remote/index.ts';
import { toPermissionTemplate } from '../../src/remote/permissions.ts';
import { hasNatsServer, type NatsServer, startNats, startNatsCluster } from '../support/nats.ts';
import { callProgram } from './call-program.ts';
import { projectDir, runProgram } from './program.ts';

interface Printed {
  readonly ok: boolean;
  readonly checks: readonly { readonly name: string; readonly state: string; readonly says: string }[];
}

describe.skipIf(!(await hasNatsServer()))('doctor --remote', () => {
  let nats: NatsServer;
  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats[Symbol.asyncDispose]());

  const check = async (env: Record<string, string>, ...flags: readonly string[]): Promise<Printed> => {
    await using project = projectDir();
    const { stdout } = await callProgram(['doctor', '--remote', '--json', ...flags], {
      ...{ cwd: project.path, env: { TROUPE_SERVERS: '', ...env } },
    });
    return JSON.parse(stdout);
  };
  const find = ({ checks }: Printed, name: string) => checks.find((it) => it.name === name);

  test('servers without workers are named, with what they lack', async () => {
    const printed = await check({ TROUPE_SERVERS: nats.url });

    expect(printed.ok).toBe(true);
    expect(find(printed, 'streams')).toMatchObject({ state: 'ok' });
    expect(find(printed, 'copies')).toMatchObject({ state: 'warn' });
    expect(find(printed, 'sync')).toMatchObject({ state: 'warn' });
    expect(find(printed, 'clock')).toMatchObject({ state: 'ok' });
    expect(find(printed, 'workers')).toMatchObject({ state: 'warn' });
  });

  test('workers are counted by pool', async () => {
    const workers = [
      await openWorker({ servers: nats.url, name: 'w1', capacity: 3 }),
      await openWorker({ servers: nats.url, name: 'w2', capacity: 4, pools: ['default', 'gpu'] }),
    ];

    const printed = await check({}, '--servers', nats.url);
    await Promise.all(workers.map((worker) => worker.close()));
    const later = await check({}, '--servers', nats.url);

    expect(find(printed, 'pool default')?.says).toBe('2 workers; 7 of 7 places are free');
    expect(find(printed, 'pool gpu')?.says).toBe('1 worker; 4 of 4 places are free');
    expect(find(later, 'workers')).toMatchObject({ state: 'warn' });
  });

  test('a server that does not answer fails', async () => {
    const printed = await check({ TROUPE_SERVERS: 'nats://127.0.0.1:1' });

    expect(printed.ok).toBe(false);
    expect(find(printed, 'servers')).toMatchObject({ state: 'fail' });
    expect(find(printed, 'servers')?.says).toContain('No NATS server answers at 127.0.0.1:1');
  });

  test('a server without JetStream fails', async () => {
    const config = 'accounts { PLAIN { users: [ { user: plain, password: secret } ] } }';
    await using plain = await startNats({ config });

    const printed = await check({ TROUPE_SERVERS: plain.url.replace('//', '//plain:secret@') });

    expect(printed.ok).toBe(false);
    expect(find(printed, 'JetStream')).toMatchObject({ state: 'fail' });
  });

  test('a user with the printed permissions passes', async () => {
    const template = toPermissionTemplate({ tenants: ['acme'], workers: ['w1'], pools: ['default'] });
    await using restricted = await startNats({ config: template.replaceAll(/\$\w+_PASSWORD/g, 'secret') });
    const as = (user: string) => restricted.url.replace('//', `//${user}:secret@`);

    const ofWorker = await check({ TROUPE_SERVERS: as('worker_w1') });
    const ofTenant = await check({ TROUPE_SERVERS: as('acme'), TROUPE_TENANT: 'acme' });

    for (const printed of [ofWorker, ofTenant])
      expect(printed.checks.filter(({ state }) => state === 'fail')).toEqual([]);
  });

  test('a cluster keeps three copies', { timeout: 120_000 }, async () => {
    await using cluster = await startNatsCluster();

    const printed = await check({ TROUPE_SERVERS: cluster.urls.join() });

    expect(find(printed, 'copies')).toMatchObject({ state: 'ok', says: 'three of each stream' });
  });

  test('missing servers are refused in words', async () => {
    await using project = projectDir();

    const ran = await runProgram(['doctor', '--remote'], { cwd: project.path, env: { TROUPE_SERVERS: '' } });

    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain('No servers are known: give --servers, or set TROUPE_SERVERS');
  });
});
