import { type JetStreamClient, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProcessHandle } from '../../src/index.ts';
import {
  type EntryContent,
  encodeEntry,
  type StartOrder,
  streams,
  subjects,
} from '../../src/spawn/remote/protocol.ts';
import { hasNatsServer, type NatsServer, startNats } from '../support/nats.ts';
import { waitUntil } from '../support/os.ts';
import type { RealHarness } from '../support/real.ts';
import { openAsker } from '../support/remote.ts';

const worker = 'silent.1';

async function first(messages: AsyncIterable<Msg>): Promise<Msg> {
  for await (const message of messages) return message;
  throw new Error('nothing was ordered');
}

describe.skipIf(!(await hasNatsServer()))('where a worker falls silent after an exit', () => {
  let nats: NatsServer;
  let connection: NatsConnection;
  let js: JetStreamClient;

  beforeAll(async () => {
    nats = await startNats();
    connection = await connect({ servers: nats.url });
    js = jetstream(connection);
  });
  afterAll(async () => {
    await connection.close();
    await nats[Symbol.asyncDispose]();
  });

  /** Starts a process, and sends its first output and its exit in the name of a worker that does not exist. */
  async function startCut({ supervisor }: RealHarness): Promise<{
    readonly handle: ProcessHandle;
    readonly record: string;
    readonly send: (number: number, content: EntryContent) => Promise<unknown>;
  }> {
    const orders = connection.subscribe('troupe.start.>', { max: 1 });
    const handle = supervisor.start({ command: 'make', background: true });
    const message = await first(orders);
    const { id, attempt, identity } = message.json<StartOrder>();
    const name = { tenant: message.subject.split('.').at(-1) ?? '', id, attempt };
    let offset = 0;
    const send = (number: number, content: EntryContent) => {
      const entry = encodeEntry({ ...content, number, after: 0, stored: number - 1, offset });
      if (content.type === 'output') offset += content.bytes.byteLength;
      return js.publish(subjects.log(name), entry);
    };
    await js.publish(subjects.record(name), JSON.stringify({ state: 'claimed', worker, identity }));
    await send(1, { type: 'fact', fact: { type: 'attempt.claimed', worker, identity } });
    await send(2, { type: 'fact', fact: { type: 'process.spawned', pid: 1_234, pgid: 1_234 } });
    await send(3, { type: 'output', stream: 'stdout', bytes: Buffer.from('compiling\n') });
    await send(4, { type: 'fact', fact: { type: 'process.exited', exit: { code: 0, signal: null } } });
    return { handle, record: subjects.record(name), send };
  }

  test('a cut output says that its end may be missing', async () => {
    await using stage = openAsker(nats.url);
    const { handle } = await startCut(stage);

    const { status, exit } = await handle.ended;

    expect({ status, exit }).toEqual({ status: 'completed', exit: { code: 0, signal: null } });
    expect(handle.read().text).toBe(
      'compiling\n\n[troupe: the worker silent.1 was silent; the end of the output may be missing]\n',
    );
  });

  test('an end waits for the rest of the output', async () => {
    await using stage = openAsker(nats.url);
    const { handle, record, send } = await startCut(stage);
    const manager = await jetstreamManager(connection);
    await waitUntil(async () => {
      const message = await manager.streams.getMessage(`KV_${streams.attempts}`, { last_by_subj: record });
      return message?.json<{ state: string }>().state === 'lost';
    });

    await send(5, { type: 'output', stream: 'stdout', bytes: Buffer.from('done\n') });
    await send(6, { type: 'fact', fact: { type: 'output.ended' } });
    const { status } = await handle.ended;

    expect(status).toBe('completed');
    expect(handle.read().text).toBe('compiling\ndone\n');
  });
});
