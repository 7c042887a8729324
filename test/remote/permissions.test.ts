import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { ProcessHandle } from '../../src/index.ts';
import { openWorker, type RemoteWorker } from '../../src/remote/index.ts';
import { toPermissionTemplate } from '../../src/remote/permissions.ts';
import {
  encodeEntry,
  encodeRequest,
  importedApi,
  streams,
  subjects,
} from '../../src/spawn/remote/protocol.ts';
import { hasNatsServer, type NatsServer, startNats } from '../support/nats.ts';
import { tempDir, waitUntil } from '../support/os.ts';
import type { RealHarness } from '../support/real.ts';
import { openAsker } from '../support/remote.ts';

/** The printed accounts, and a user that sees everything in the one that keeps the streams. */
const config = toPermissionTemplate({
  tenants: ['acme', 'other-one'],
  workers: ['w1', 'w2'],
  pools: ['default'],
})
  .replaceAll(/\$\w+_PASSWORD/g, 'secret')
  .replace('users: [', 'users: [ { user: "admin", password: secret }');

describe.skipIf(!(await hasNatsServer()))('with the printed permissions', () => {
  let nats: NatsServer;
  let worker: RemoteWorker;
  let admin: NatsConnection;
  let place: ReturnType<typeof tempDir>;

  beforeAll(async () => {
    place = tempDir();
    nats = await startNats({ config });
    worker = await openWorker({ servers: as('worker_w1'), name: 'w1', cwd: place.path, onError: throws });
    admin = await connect({ servers: nats.url, user: 'admin', pass: 'secret' });
  });
  afterAll(async () => {
    await worker.close();
    await admin.close();
    await nats[Symbol.asyncDispose]();
    place.remove();
  });

  const as = (user: string) => nats.url.replace('nats://', `nats://${user}:secret@`);
  const openAcme = (options?: object) => openAsker(as('acme'), { ...options, remote: { tenant: 'acme' } });
  /** Connects as a user and sends what it likes. */
  const openForger = async (user = 'other-one'): Promise<NatsConnection> => {
    const inboxPrefix = `_INBOX_${user}`;
    const forger = await connect({ servers: nats.url, user, pass: 'secret', inboxPrefix });
    onTestFinished(() => forger.close());
    return forger;
  };
  const startSleeper = ({ supervisor }: RealHarness) =>
    supervisor.start({ command: 'echo up; sleep 300', background: true });
  const isUp = (handle: ProcessHandle) => waitUntil(() => handle.read().text.startsWith('up\n'));

  test('a command runs, is read and is killed', async () => {
    await using stage = openAcme();

    const result = await stage.supervisor.execute({ command: 'cat; echo out', input: 'in\n' });
    const handle = startSleeper(stage);
    await isUp(handle);
    const answer = await handle.kill();

    expect(result).toMatchObject({ type: 'completed', stdout: 'in\nout\n' });
    expect(answer).toMatchObject({ type: 'killed', receipt: { survivors: [] } });
  });

  test('a persistent process is adopted by the next supervisor', async () => {
    using state = tempDir();
    const options = { stateDirectory: state.path };
    const first = openAcme(options);
    const { id } = first.supervisor.start({
      command: 'echo early; read x; echo late',
      ...{ background: true, lifetime: 'persistent', stdin: 'pipe' },
    });
    await hasPrinted(first, id, 'early\n');
    await first[Symbol.asyncDispose]();

    await using next = openAcme(options);
    await next.supervisor.get(id)?.writeLine('go on');

    await hasPrinted(next, id, 'early\nlate\n');
  });

  describe('a tenant cannot', () => {
    test('order in the name of another', async () => {
      const forger = await openForger();

      const order = jetstream(forger).publish('troupe.start.default.acme', '{}');

      await expect(order).rejects.toThrow('jetstream is not enabled');
      expect(await countKept(streams.starts, 'troupe.start.default.acme')).toBe(0);
    });

    test('read the log of another', async () => {
      await using stage = openAcme();
      const forger = await openForger();
      const seen: string[] = [];
      for (const subject of ['troupe.>', 'troupe.log.acme.>'])
        forger.subscribe(subject, { callback: (_, message) => void seen.push(message.subject) });
      await forger.flush();
      const create = (own: string, filters: object) =>
        forger.request(
          `${importedApi}.CONSUMER.CREATE.${streams.logs}.c.troupe.log.${own}.>`,
          JSON.stringify({
            stream_name: streams.logs,
            config: { name: 'c', ack_policy: 'none', ...filters },
          }),
        );
      const get = `${importedApi}.STREAM.MSG.GET.${streams.logs}`;

      await isUp(startSleeper(stage));
      const mismatched = await create('other-one', { filter_subject: 'troupe.log.acme.>' });
      const several = await create('other-one', { filter_subjects: ['troupe.log.acme.>', 'troupe.log.x.>'] });

      expect(seen.filter((subject) => subject.includes('acme'))).toEqual([]);
      expect(mismatched.string()).toContain('did not match filtered subject');
      expect(several.string()).toContain('multiple subject filters');
      await expect(create('acme', { filter_subject: 'troupe.log.acme.>' })).rejects.toThrow('no responders');
      await expect(forger.request(get, '{"seq":1}')).rejects.toThrow('no responders');
    });

    test('write or read the record of another', async () => {
      await using stage = openAcme();
      const forger = await openForger();
      const handle = startSleeper(stage);
      await isUp(handle);
      const record = subjects.record({ tenant: 'acme', id: handle.id, attempt: 1 });
      const before = await countKept(`KV_${streams.attempts}`, record);

      const write = jetstream(forger).publish(record, JSON.stringify({ state: 'cancelled' }));
      const read = forger.request(`${importedApi}.DIRECT.GET.KV_${streams.attempts}.${record}`);

      expect(before).toBe(1);
      await expect(write).rejects.toThrow('jetstream is not enabled');
      await expect(read).rejects.toThrow('no responders');
      expect((await handle.kill()).type).toBe('killed');
    });

    test('roll up the records of another', async () => {
      await using stage = openAcme();
      const forger = await openForger();
      await stage.supervisor.execute({ command: 'true' });
      const all = headers();
      all.set('Nats-Rollup', 'all');

      const write = jetstream(forger).publish(`$KV.${streams.attempts}.other-one.x.1`, '{}', {
        headers: all,
      });

      await expect(write).rejects.toThrow('rollup');
      expect(await countKept(`KV_${streams.attempts}`, `$KV.${streams.attempts}.acme.>`)).toBeGreaterThan(0);
    });

    test('control the process of another', async () => {
      await using stage = openAcme();
      const forger = await openForger();
      const handle = startSleeper(stage);
      await isUp(handle);
      const why = { by: 'user', cause: { type: 'kill', by: 'user' } } as const;
      const kill = encodeRequest({
        ...{ id: handle.id, attempt: 1 },
        command: { type: 'tree.end', signal: 'SIGKILL', why },
      });
      const control = (tenant: string) =>
        forger.request(subjects.control({ worker: worker.id, tenant }), kill);

      await expect(control('acme')).rejects.toThrow('no responders');
      expect((await control('other-one')).json()).toEqual({ type: 'gone' });
      expect(handle.status).toBe('backgrounded');
    });

    test('have the servers send for it what it must not send', async () => {
      const forger = await openForger();
      const own = `$KV.${streams.attempts}.other-one.forged.1`;
      await jetstream(forger).publish(own, '{}');
      const consumer = { name: 'c', ack_policy: 'none', filter_subject: 'troupe.log.other-one.x.1' };
      await forger.request(
        `${importedApi}.CONSUMER.CREATE.${streams.logs}.c.troupe.log.other-one.x.1`,
        JSON.stringify({ stream_name: streams.logs, config: consumer }),
      );
      const requests = [
        [`${importedApi}.DIRECT.GET.KV_${streams.attempts}.${own}`, ''],
        [`${importedApi}.CONSUMER.MSG.NEXT.${streams.logs}.c`, '{"batch":1,"no_wait":true}'],
        [own, '{}'],
      ] as const;

      for (const prefix of ['$JS.API', importedApi])
        for (const [request, text] of requests)
          for (const reply of [`${prefix}.STREAM.DELETE.${streams.starts}`, 'troupe.start.default.acme'])
            forger.publish(request, text, { reply });
      await forger.flush();
      // The answers were sent before this one.
      await forger.request(`${importedApi}.STREAM.NAMES`);

      const manager = await jetstreamManager(admin);
      expect(await manager.streams.names().next()).toContain(streams.starts);
      expect(await countKept(streams.starts, '>')).toBe(0);
    });

    test('have a message of its own delivered as output of another', async () => {
      await using stage = openAcme();
      const forger = await openForger();
      const handle = startSleeper(stage);
      await isUp(handle);
      const beat = `$KV.${streams.peers}.asker.other-one.x`;
      const place = { number: 4, after: 0, stored: 0, offset: 3 };
      const entry = encodeEntry({ ...place, type: 'output', stream: 'stdout', bytes: Buffer.from('forged') });
      await jetstream(forger).publish(beat, entry);
      const name = { tenant: 'acme', id: handle.id, attempt: 1 };
      const config = {
        name: 'p',
        ack_policy: 'none',
        filter_subject: beat,
        deliver_subject: subjects.log(name),
      };

      const made = await forger.request(
        `${importedApi}.CONSUMER.CREATE.KV_${streams.peers}`,
        JSON.stringify({ stream_name: `KV_${streams.peers}`, config }),
      );
      const { consumers } = await jetstreamManager(admin);
      await waitUntil(async () => (await consumers.info(`KV_${streams.peers}`, 'p')).num_pending === 0);
      await handle.kill();

      expect(made.json()).not.toHaveProperty('error');
      expect(handle.read().text).toBe('up\n');
    });
  });

  describe('a worker cannot', () => {
    test('beat for another', async () => {
      const forger = await openForger('worker_w2');

      const beat = jetstream(forger).publish(`$KV.${streams.peers}.worker.${worker.id}`, '{}');

      await expect(beat).rejects.toThrow('ermission');
    });

    test('take the requests to another', async () => {
      const forger = await openForger('worker_w2');

      const refusal = new Promise((resolve) => {
        forger.subscribe(`troupe.control.${worker.id}.*`, { callback: resolve });
      });

      expect(String(await refusal)).toContain('ermission');
    });

    test('take from a pool that it has not', async () => {
      const forger = await openForger('worker_w2');
      const { consumers } = await jetstreamManager(forger, { checkAPI: false });

      const made = consumers.add(streams.starts, {
        durable_name: 'pool_gpu',
        filter_subject: 'troupe.start.gpu.*',
      });

      await expect(made).rejects.toThrow('ermission');
    });
  });

  /** Returns the number of messages that the stream keeps of a subject. */
  const countKept = async (stream: string, filter: string): Promise<number> => {
    const manager = await jetstreamManager(admin);
    const { state } = await manager.streams.info(stream, { subjects_filter: filter });
    return Object.values(state.subjects ?? {}).reduce((sum, count) => sum + count, 0);
  };
});

/** Waits until a process has printed this. */
const hasPrinted = ({ supervisor }: RealHarness, id: string, text: string) =>
  waitUntil(() => supervisor.get(id)?.read().text === text, { what: text });

function throws(error: unknown): never {
  throw error;
}
