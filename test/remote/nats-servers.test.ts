import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { describe, expect, test } from 'vitest';
import { hasNatsServer, startNats, startNatsCluster } from '../support/nats.ts';
import { isAlive, tempDir, waitUntil } from '../support/os.ts';

describe.skipIf(!(await hasNatsServer()))('a NATS server of a test', () => {
  test('a killed server keeps its streams', async () => {
    await using server = await startNats({ config: 'jetstream { sync_interval: always }' });
    const { pid } = server;
    const before = await connect({ servers: server.url });
    await (await jetstreamManager(before)).streams.add({ name: 'orders', subjects: ['orders'] });
    await jetstream(before).publish('orders', 'one');
    await before.close();

    await server.kill();
    expect(isAlive(pid)).toBe(false);
    await server.start();

    const after = await connect({ servers: server.url });
    const { state } = await (await jetstreamManager(after)).streams.info('orders');
    expect(state.messages).toBe(1);
    await after.close();
  });

  test('a cluster replaces a killed node', async () => {
    await using cluster = await startNatsCluster();
    const [first, ...others] = cluster.nodes;
    const connection = await connect({ servers: others.map(({ url }) => url) });
    const { streams } = await jetstreamManager(connection);
    await streams.add({ name: 'orders', subjects: ['orders'], num_replicas: 3 });
    const publish = () => jetstream(connection).publish('orders', 'one', { timeout: 1_000 });

    await first?.kill();
    await waitUntil(() => publish().catch(() => null));
    await first?.start();

    const areCurrent = async () => {
      const { cluster: group } = await streams.info('orders');
      return group?.replicas?.length === 2 && group.replicas.every(({ current }) => current);
    };
    await waitUntil(areCurrent);
    await connection.close();
  });

  test('a server with TLS refuses clients without a certificate', async () => {
    const config = 'authorization { user: someone, password: secret }';
    const login = { user: 'someone', pass: 'secret' };
    await using server = await startNats({ tls: 'mutual', config });
    const caFile = server.tls?.caFile ?? '';

    const connection = await connect({ servers: server.url, tls: server.tls, ...login });
    const without = connect({
      servers: server.url,
      tls: { caFile },
      ...login,
      timeout: 1_000,
    });

    await expect(without).rejects.toThrow();
    await connection.close();
  });

  test('a server ends with the program that started it', async () => {
    using folder = tempDir();
    const module = new URL('../support/nats.ts', import.meta.url).href;
    const program = `const { pid } = await (await import(${JSON.stringify(module)})).startNats(); console.log(pid);`;
    const host = spawn(process.execPath, ['--input-type=module', '--eval', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, TMPDIR: folder.path },
    });
    const [said] = await once(host.stdout, 'data');
    const pid = Number(said);
    expect(isAlive(pid)).toBe(true);

    host.kill('SIGKILL');

    await waitUntil(() => !isAlive(pid));
  });
});
