import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { BackendCommand } from '../../machines/process/events.ts';
import type { BackendPort, ToldFact } from '../../src/spawn/backend.ts';
import { createLeaderBackend } from '../../src/spawn/leader-backend.ts';
import type { ProcessIdentity } from '../../src/spawn/tree/identity.ts';
import { createTreeRegistry } from '../../src/spawn/tree/tree-registry.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { createFakeTable, entry, leaderIdentity } from './tree/entries.ts';

/** Adopts a leader whose entries are played. */
function arrange({
  leader = leaderIdentity as ProcessIdentity | undefined,
  entries = [entry(100)],
  hasEnded = false,
  startedAtMs = undefined as number | undefined,
  hasDeps = true,
} = {}) {
  const clock = createVirtualClock();
  const content = { entries, carriers: [] };
  const table = createFakeTable(content);
  const trees = createTreeRegistry({ prepare: () => {}, add: () => {}, remove: () => {}, exempt: () => {} });
  const errors: unknown[] = [];
  const facts: ToldFact[] = [];
  let send: (command: BackendCommand) => void = () => {};
  const backend = createLeaderBackend('tmux', {
    deps: hasDeps ? { table, trees, reportError: (error) => errors.push(error) } : null,
    hasEnded,
  });
  const port = {
    ...{ clock, request: { id: 'tool_a', attempt: 1, secrets: [] }, output: {}, keepScreen: () => {} },
    ...(leader !== undefined && { leader }),
    ...(startedAtMs !== undefined && { startedAtMs }),
    tell: (fact: ToldFact) => void facts.push(fact),
    onCommand: (listener: typeof send) => {
      send = listener;
    },
  } as unknown as BackendPort;
  const turns = async () => {
    for (let left = 10; left > 0; left -= 1) await setImmediate();
  };
  const pass = async (ms: number) => {
    await turns();
    clock.advance(ms);
    await turns();
  };
  return {
    backend,
    port,
    clock,
    content,
    facts,
    errors,
    trees,
    pass,
    send: (command: BackendCommand) => send(command),
  };
}

const unseen = {
  type: 'process.lost',
  why: 'its exit is unknown: the program that would have recorded it ended first',
};

test('a leader is adopted and followed to its end', async () => {
  const { backend, port, content, facts, trees, pass } = arrange({ startedAtMs: -7 });

  backend.adopt?.(port);
  await pass(500);
  expect(facts).toEqual([{ type: 'process.adopted', pid: 100, pgid: 100, startedAtMs: -7, isPaused: false }]);
  expect(trees.ids()).toEqual(['tool_a']);
  content.entries = [];
  await pass(50);

  expect(facts.slice(1)).toEqual([unseen]);
});

test('a leader that has ended before is not lost again', async () => {
  const { backend, port, facts, clock, pass } = arrange({ entries: [entry(101)], hasEnded: true });

  backend.adopt?.(port);
  await pass(500);

  expect(facts).toEqual([
    { type: 'process.adopted', pid: 100, pgid: 100, startedAtMs: clock.nowMs() - 500, isPaused: false },
  ]);
});

test.each([
  ['halted', entry(100, { stopped: true }), true],
  ['another process', entry(100, { stopped: true, startedAt: 'later' }), false],
])('an adopted leader is paused where it is halted: %s', async (_, found, isPaused) => {
  const { backend, port, facts, pass } = arrange({ entries: [found] });

  backend.adopt?.(port);
  await pass(0);

  expect(facts[0]).toMatchObject({ type: 'process.adopted', isPaused });
});

test('a leader of another boot is lost', async () => {
  const { backend, port, facts, pass, send } = arrange({ leader: { ...leaderIdentity, bootId: 'before' } });

  backend.adopt?.(port);
  await pass(0);
  send({ type: 'tree.end', signal: 'SIGTERM', why: { by: 'user' } as never });
  await pass(0);

  expect(facts).toEqual([
    { type: 'process.lost', why: 'the machine was restarted since' },
    { type: 'tree.gone', ended: [] },
  ]);
});

test.each([{ leader: undefined }, { hasDeps: false }])('a record without a leader is lost: %j', (without) => {
  const { backend, port, facts } = arrange({ ...without, ...('leader' in without && { leader: undefined }) });
  const { leader: _, ...nameless } = port;

  backend.adopt?.('leader' in without ? nameless : port);

  expect(facts).toEqual([{ type: 'process.lost', why: 'its record names no process' }]);
});

test('a leader backend starts nothing and takes no input', async () => {
  const { backend, port, facts, pass, send } = arrange();
  const answers: unknown[] = [];
  const write = () =>
    send({ type: 'process.write', data: Buffer.from('x'), reply: (answer) => answers.push(answer) });

  expect(backend.mode).toBe('tmux');
  expect(backend.capabilities).toEqual({
    ...{ input: false, terminal: false, osProcesses: true, separateStreams: false, durable: false },
  });
  backend.run(port);
  write();
  backend.adopt?.(port);
  await pass(0);
  write();
  await pass(0);

  expect(facts[0]).toEqual({ type: 'process.lost', why: 'it belongs to a supervisor that is gone' });
  expect(answers).toMatchObject([
    { ok: false, code: 'notRunning' },
    {
      ok: false,
      code: 'closed',
      error: 'Its input is closed: it ended with the supervisor that started it.',
    },
  ]);
});

test('a cancelled follower looks no more', async () => {
  const { backend, port, content, facts, pass } = arrange();
  const cancel = backend.adopt?.(port);
  await pass(100);

  cancel?.();
  content.entries = [];
  await pass(1_000);

  expect(facts.map(({ type }) => type)).toEqual(['process.adopted']);
});
