import type { ConsumerMessages, JsMsg } from '@nats-io/jetstream';
import { toErrorText } from '../config/error-text.ts';
import { streams } from '../spawn/remote/protocol.ts';
import { pause, type Servers } from '../spawn/remote/servers.ts';

/** Orders that may be between their claim and their start: so many can a crash lose unstarted. */
const GATE = 8;
const FETCH_MS = 5_000;
/** With several pools a short turn for each, so that a place goes to whichever has orders. */
const SHARED_FETCH_MS = 1_000;
const ACK_WAIT_NS = 10e9;
const RETRY_MS = 300;

/** Takes orders from the queues of pools. */
export interface StartQueue {
  /** Says that places have become free. */
  wake(): void;
  /** Takes no more orders. Resolves when none is being taken. */
  close(): Promise<void>;
}

/**
 * Takes as many orders as there are free places, never more: an order that waits in a full worker is invisible to others. `take` resolves
 * when the order is claimed and started, or was claimed by another worker.
 */
export function takeStarts(
  { jetstream, manager, connection, onReconnect }: Servers,
  {
    pools,
    free,
    take,
    reportError,
  }: {
    readonly pools: readonly string[];
    /** Returns the number of free places. */
    readonly free: () => number;
    readonly take: (message: JsMsg) => Promise<void>;
    readonly reportError: (error: unknown) => void;
  },
): StartQueue {
  const fetching = new Set<ConsumerMessages>();
  let isClosed = false;
  /** Orders that were asked for, or are being claimed. */
  let reserved = 0;
  let wakers: (() => void)[] = [];
  const wake = () => {
    const woken = wakers;
    wakers = [];
    for (const resolve of woken) resolve();
  };

  const ensureConsumer = async (pool: string) => {
    const name = `pool_${pool}`;
    await manager.consumers.add(streams.starts, {
      ...{ durable_name: name, filter_subject: `troupe.start.${pool}.*`, ack_policy: 'explicit' },
      ...{ ack_wait: ACK_WAIT_NS, max_deliver: -1, max_ack_pending: 5_000, max_waiting: 4_096 },
    });
    return jetstream.consumers.get(streams.starts, name);
  };

  /** Orders that a pool may wait for: all pools do at the same time, as far as places and gate allow. */
  const share = Math.ceil(GATE / pools.length);

  const run = async (pool: string): Promise<void> => {
    const consumer = await ensureConsumer(pool);
    while (!isClosed) {
      const count = Math.min(Math.min(free(), GATE) - reserved, share);
      if (count <= 0) {
        await new Promise<void>((resolve) => wakers.push(resolve));
        continue;
      }
      reserved += count;
      let arrived = 0;
      try {
        const messages = await consumer.fetch({
          ...{ max_messages: count, expires: pools.length > 1 ? SHARED_FETCH_MS : FETCH_MS },
          idle_heartbeat: SHARED_FETCH_MS / 2,
        });
        fetching.add(messages);
        if (isClosed) messages.stop();
        for await (const message of messages) {
          arrived += 1;
          void take(message)
            .catch(reportError)
            .finally(() => {
              reserved -= 1;
              wake();
            });
        }
        fetching.delete(messages);
      } finally {
        reserved -= count - arrived;
        wake();
      }
      // Pools that have waited for their turn take theirs first.
      await null;
    }
  };
  const loops = pools.map(async (pool) => {
    while (!isClosed && !connection.isClosed()) {
      try {
        await run(pool);
      } catch (error) {
        if (isClosed || connection.isClosed()) return;
        if (/permission/i.test(toErrorText(error))) reportError(error);
        await pause(RETRY_MS);
      }
    }
  });
  // No server answers a request that was sent into a dying connection.
  onReconnect(() => {
    for (const messages of fetching) messages.stop();
  });

  return {
    wake,
    close: async () => {
      isClosed = true;
      for (const messages of fetching) messages.stop();
      wake();
      await Promise.all(loops);
    },
  };
}
