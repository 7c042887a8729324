import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { TreeMember } from '../../machines/process/context.ts';
import type { BackendCommand, SignalReason } from '../../machines/process/events.ts';
import type { BackendPort } from '../../src/spawn/backend.ts';
import type { ProcessTree } from '../../src/spawn/tree/process-tree.ts';
import type { TreeRegistry } from '../../src/spawn/tree/tree-registry.ts';
import { createTreeCommands, type TreeInput } from '../../src/spawn/tree-commands.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';

const why: SignalReason = { by: 'user', cause: { type: 'signal' } };
const member: TreeMember = { pid: 101, pgid: 100, startedAt: '1', command: 'x' };
const sent = { signal: 'SIGTERM', via: 'group', pids: [100, 101] } as const;

/** Commands on a tree that is played; `null` for a leader that is unknown. */
function arrange(
  own: Partial<ProcessTree> | null = {},
  {
    hasExited = false,
    endsAs = null as typeof sent | null,
    input = { code: 'noInput', refusal: 'No input.' } as TreeInput,
    terminal = undefined as { execute(command: unknown): void } | undefined,
  } = {},
) {
  const clock = createVirtualClock();
  const heard: unknown[] = [];
  const listeners: Parameters<ProcessTree['watch']>[0][] = [];
  const tree =
    own === null
      ? null
      : ({
          survey: async () => [],
          suspects: async () => [],
          end: async (signal) => void heard.push(`end ${signal}`),
          signal: async () => [],
          pause: async () => null,
          resume: async () => null,
          watch: (listener) => {
            listeners.push(listener);
            return () => heard.push('watch cancelled');
          },
          recheck: () => {},
          leaderExited: () => {},
          ...own,
        } as ProcessTree);
  const commands = createTreeCommands({
    port: {
      ...{ clock, request: { id: 'tool_a', secrets: [] } },
      output: { isBackpressured: false, lastWriteAtMs: 0 },
      tell: (fact: unknown) => void heard.push(fact),
    } as unknown as BackendPort,
    trees: { remove: (id: string) => void heard.push(`removed ${id}`) } as unknown as TreeRegistry,
    findTree: async () => tree,
    endWithoutTree: (signal) => {
      heard.push(`alone ${signal}`);
      return endsAs;
    },
    hasExited: () => hasExited,
    onTreeEmpty: () => heard.push('empty'),
    onLeftovers: () => heard.push('leftovers'),
    input,
    ...(terminal !== undefined && { terminal }),
  });
  const turns = async () => {
    for (let left = 5; left > 0; left -= 1) await setImmediate();
  };
  const execute = async (command: object) => {
    commands.execute({
      why,
      reply: (answer: unknown) => heard.push({ answer }),
      ...command,
    } as unknown as BackendCommand);
    await turns();
  };
  return { clock, heard, listeners, execute, detach: commands.detach };
}

test('an end is watched once, and each signal has the reason of the last order', async () => {
  const { heard, listeners, execute } = arrange();
  const later: SignalReason = { by: 'agent', cause: { type: 'grace' } };

  await execute({ type: 'tree.end', signal: 'SIGTERM' });
  listeners[0]?.onSent?.(sent);
  await execute({ type: 'tree.end', signal: 'SIGKILL', why: later });
  listeners[0]?.onSent?.(sent);
  listeners[0]?.onAliveChanged([member]);

  expect(listeners).toHaveLength(1);
  expect(heard).toEqual([
    'end SIGTERM',
    { type: 'process.signalled', ...sent, why },
    'end SIGKILL',
    { type: 'process.signalled', ...sent, why: later },
    { type: 'tree.seen', alive: [member] },
  ]);
});

test.each([
  [true, ['empty']],
  [false, []],
])('a tree that is gone is removed, and empty once its leader has exited: %s', async (hasExited, after) => {
  const { heard, listeners, execute } = arrange({ suspects: async () => [member] }, { hasExited });
  await execute({ type: 'tree.end', signal: 'SIGTERM' });
  heard.length = 0;

  listeners[0]?.onGone([member]);
  await setImmediate();

  expect(heard).toEqual([
    'removed tool_a',
    { type: 'tree.gone', ended: [member], suspects: [member] },
    ...after,
  ]);
});

test.each([
  [null, ['alone SIGTERM']],
  [sent, ['alone SIGTERM', { type: 'process.signalled', ...sent, why }]],
])('a leader that is unknown is ended without a tree (%#)', async (endsAs, expected) => {
  const { heard, execute } = arrange(null, { endsAs });

  await execute({ type: 'tree.end', signal: 'SIGTERM' });

  expect(heard).toEqual(expected);
});

const signal = { type: 'tree.signal', signal: 'SIGTERM', to: 'tree' };
const single = { ...sent, via: 'process', pids: [7] } as const;

test('a signal is told and answered with all that it reached', async () => {
  const asked: unknown[] = [];
  const { heard, execute } = arrange({
    signal: async (...given) => {
      asked.push(given);
      return [sent, single];
    },
  });

  await execute({ ...signal, to: 'leader' });

  expect(asked).toEqual([['SIGTERM', 'leader']]);
  expect(heard).toEqual([
    { type: 'process.signalled', ...sent, why },
    { type: 'process.signalled', ...single, why },
    { answer: { ok: true, pids: [100, 101, 7], running: [] } },
  ]);
});

const unknown = 'Its processes could not be told from others, so that none of them was signalled.';
const noProcess = 'It reached no process: none is alive, or all belong to other users.';
const overtaken = 'Another order came before it was carried out.';
const broken = 'Its processes could not be reached: no ps.';
const fail = () => Promise.reject(new Error('no ps'));

test.each([
  ['signal', null, unknown],
  ['signal', {}, noProcess],
  ['signal', { signal: fail }, broken],
  ['pause', null, unknown],
  ['pause', {}, overtaken],
  ['pause', { pause: async () => ({ via: 'signals', pids: [], running: [] }) }, noProcess],
  ['pause', { pause: fail }, broken],
  ['resume', null, unknown],
  ['resume', {}, overtaken],
  ['resume', { resume: fail }, broken],
] as const)('a %s that is not carried out says why (%#)', async (order, own, error) => {
  const { heard, execute } = arrange(own as Partial<ProcessTree> | null);

  await execute({ ...signal, type: `tree.${order}` });

  expect(heard).toEqual([{ answer: { ok: false, error } }]);
});

test('a pause is told with what is halted, and answered with what is not yet', async () => {
  const { heard, execute } = arrange({
    pause: async (onSent) => {
      onSent(single);
      return { via: 'signals', pids: [7, 8], running: [8] };
    },
  });

  await execute({ type: 'tree.pause' });

  expect(heard).toEqual([
    { type: 'process.signalled', ...single, why },
    { type: 'tree.paused', via: 'signals', pids: [7, 8], why },
    { answer: { ok: true, pids: [7, 8], running: [8] } },
  ]);
});

test('a resume is told even if nothing was halted', async () => {
  const { heard, execute } = arrange({
    resume: async (onSent) => {
      onSent(single);
      return { via: 'freezer', pids: [], running: [] };
    },
  });

  await execute({ type: 'tree.resume' });

  expect(heard).toEqual([
    { type: 'process.signalled', ...single, why },
    { type: 'tree.resumed', via: 'freezer', pids: [], why },
    { answer: { ok: true, pids: [], running: [] } },
  ]);
});

test.each([
  ['a live leader', {}, false, []],
  ['an empty tree', {}, true, ['removed tool_a', 'told', 'empty']],
  ['leftovers', { survey: async () => [member] }, true, ['told', 'leftovers']],
  ['leftovers of a live leader', { survey: async () => [member] }, false, []],
])('a survey finds %s', async (_, own, hasExited, order) => {
  const { heard, execute } = arrange({ ...own, suspects: async () => [member] }, { hasExited });
  const leftovers = 'survey' in own ? [member] : [];

  await execute({ type: 'tree.survey' });

  const fact = { type: 'tree.surveyed', leftovers, suspects: [member] };
  const expected = order.length === 0 ? [fact] : order.map((each) => (each === 'told' ? fact : each));
  expect(heard).toEqual(expected);
});

test('a survey without a tree finds nothing', async () => {
  const { heard, execute } = arrange(null);

  await execute({ type: 'tree.survey' });

  expect(heard).toEqual([{ type: 'tree.surveyed', leftovers: [], suspects: [] }]);
});

test('quiet output is told, unless the process was detached from', async () => {
  const { clock, heard, execute } = arrange();
  await execute({ type: 'output.settle', quietMs: 100 });
  clock.advance(100);

  expect(heard).toEqual([{ type: 'output.quieted' }]);
  const other = arrange();
  await other.execute({ type: 'output.settle', quietMs: 100 });
  await other.execute({ type: 'tree.end', signal: 'SIGTERM' });
  other.detach();
  other.detach();
  other.clock.advance(1_000);

  expect(other.heard).toEqual(['end SIGTERM', 'watch cancelled']);
});

const written = { ok: true, bytesWritten: 3 } as const;

test('input is written with what its command says, and ended', async () => {
  const asked: unknown[] = [];
  const input: TreeInput = {
    write: async (data, options) => {
      asked.push(`${Buffer.from(data)} ${options?.waits}`);
      return written;
    },
    end: async () => ({ ok: true, bytesWritten: 0 }),
  };
  const { heard, execute } = arrange({}, { input });

  await execute({ type: 'process.write', data: Buffer.from('abc'), waits: true });
  await execute({ type: 'process.endInput' });

  expect(asked).toEqual(['abc true']);
  expect(heard).toEqual([{ answer: written }, { answer: { ok: true, bytesWritten: 0 } }]);
});

test('input that is refused or breaks is answered', async () => {
  const refused = { ok: false, bytesWritten: 0 };
  const failing: TreeInput = { write: fail, end: fail };
  const [none, broken] = [arrange(), arrange({}, { input: failing })];

  await none.execute({ type: 'process.endInput' });
  await broken.execute({ type: 'process.endInput' });

  expect(none.heard).toEqual([{ answer: { ...refused, code: 'noInput', error: 'No input.' } }]);
  expect(broken.heard).toEqual([
    { answer: { ...refused, code: 'broken', error: 'The input could not be written: no ps' } },
  ]);
});

test('commands for a terminal go to it, and are refused without one', async () => {
  const executed: unknown[] = [];
  const terminal = { execute: (command: { type: string }) => executed.push(command.type) };
  const [without, within] = [arrange(), arrange({}, { terminal: terminal as never })];

  await without.execute({ type: 'process.resize', columns: 1, rows: 1 });
  await within.execute({ type: 'process.resize', columns: 1, rows: 1 });

  expect(without.heard).toMatchObject([{ answer: { code: 'noTerminal' } }]);
  expect(executed).toEqual(['process.resize']);
  expect(within.heard).toEqual([]);
});
