import { expect, test } from 'vitest';
import type { BackendCommand } from '../../machines/process/events.ts';
import { type AttemptDeps, WorkerAttempt } from '../../src/remote/worker-attempt.ts';
import type { Backend, BackendPort } from '../../src/spawn/backend.ts';
import { subjects } from '../../src/spawn/remote/protocol.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { waitUntil } from '../support/os.ts';

const name = { tenant: 'acme', id: 'tool_a', attempt: 1 };

/** Runs an attempt whose asker has called it lost before its first state is written. */
function runLost() {
  const commands: BackendCommand[] = [];
  const published: { readonly subject: string; readonly text: string }[] = [];
  const lost = { state: 'lost', worker: 'w', why: 'its worker is silent', nonce: 'of-its-asker' };
  const backend = {
    capabilities: { osProcesses: false },
    run: (port: BackendPort) => {
      port.onCommand((command) => commands.push(command));
      port.tell({ type: 'process.spawned', pid: 42 } as never);
      return () => {};
    },
  } as unknown as Backend;
  const servers = {
    jetstream: {
      publish: async (subject: string) => {
        if (subject === subjects.record(name)) throw new Error('wrong last sequence: 9');
        return { seq: 1 };
      },
    },
    attempts: { get: async () => ({ operation: 'PUT', revision: 9, json: () => lost }) },
    connection: {
      isClosed: () => false,
      info: { max_payload: 1_000_000 },
      publish: (subject: string, text: string) => void published.push({ subject, text }),
    },
  };
  const deps = {
    servers,
    worker: 'w',
    clock: createVirtualClock(),
    trees: new Map(),
    toRequest: () => ({ backend, request: {} }),
    reportError: (error: unknown) => expect.unreachable(String(error)),
  } as unknown as AttemptDeps;
  const order = { id: name.id, attempt: 1, identity: 'me' } as WorkerAttempt['order'];
  const callbacks = { onEnded: () => {}, onForgotten: () => {} };
  const attempt = new WorkerAttempt({ name, order, revision: 1 }, { deps, ...callbacks });
  attempt.start();
  return { attempt, commands, published };
}

test('an attempt that was called lost is killed when its state cannot be written, and its asker hears of it', async () => {
  const { attempt, commands, published } = runLost();

  await waitUntil(() => published.length > 0, { what: 'the asker hears of the late attempt' });

  expect(commands).toEqual([expect.objectContaining({ type: 'tree.end', signal: 'SIGKILL' })]);
  expect(published).toEqual([
    { subject: subjects.late(name), text: expect.stringContaining('"state":"running"') },
  ]);
  attempt.forget();
});
