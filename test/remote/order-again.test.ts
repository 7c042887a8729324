import { expect, test } from 'vitest';
import type { BackendPort } from '../../src/spawn/backend.ts';
import { orderAgain } from '../../src/spawn/remote/order-start.ts';
import { subjects } from '../../src/spawn/remote/protocol.ts';
import type { Servers } from '../../src/spawn/remote/servers.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';

const name = { tenant: 'acme', id: 'tool_a', attempt: 1 };
const HOUR_MS = 3_600_000;

/** Orders an attempt without a record again. Returns its new state and the subjects of the messages to the servers. */
async function order({ startedAtMs, ageMs }: { startedAtMs?: number; ageMs: number }) {
  const clock = createVirtualClock({ epochMs: 100 * HOUR_MS });
  const sent: string[] = [];
  const servers = {
    jetstream: {
      publish: async (subject: string) => {
        sent.push(subject);
        return { seq: sent.length };
      },
    },
    connection: { isClosed: () => false, info: { max_payload: 1_000_000 } },
  } as unknown as Servers;
  const request = {
    work: { type: 'argv', argv: ['make'] },
    portable: { pool: 'default', orderedAt: clock.epochMs() - ageMs },
  };
  const port = { request, clock, startedAtMs } as unknown as BackendPort;
  return { state: await orderAgain({ servers, asker: 'me' }, { name, port }), sent };
}

test('a start without a record is ordered again while it may still wait', async () => {
  expect(await order({ ageMs: 19 * HOUR_MS })).toEqual({
    state: null,
    sent: [subjects.start({ pool: 'default', tenant: 'acme' })],
  });
});

test.each([
  ['had started', { startedAtMs: 1_000, ageMs: 0 }],
  ['is so old that its record may have expired', { ageMs: 21 * HOUR_MS }],
])('a process that %s is lost and not started again', async (_what, given) => {
  expect(await order(given)).toEqual({
    state: {
      state: 'lost',
      worker: 'unknown',
      why: 'the servers know nothing of it any more, so how it ended is unknown',
    },
    sent: [subjects.record(name)],
  });
});
