import { expect, test } from 'vitest';
import type { ProcessTree } from '../../../src/spawn/tree/process-tree.ts';
import { createTreeRegistry } from '../../../src/spawn/tree/tree-registry.ts';
import type { TreeSampler } from '../../../src/spawn/tree/tree-sampler.ts';
import { entry, leaderIdentity } from './entries.ts';

/** Tree that remembers its signals. */
function createHeardTree() {
  const heard: string[] = [];
  const listeners: Parameters<ProcessTree['watch']>[0][] = [];
  const tree: ProcessTree = {
    survey: async () => [],
    suspects: async () => [],
    sample: async () => [],
    end: async (signal) => void heard.push(signal),
    signal: async () => [],
    pause: async () => null,
    resume: async () => null,
    watch: (listener) => {
      listeners.push(listener);
      return () => {};
    },
    recheck: () => {},
    leaderExited: () => {},
  };
  return { heard, listeners, entry: { tree, identity: leaderIdentity } };
}

test('a tree force-killed before it is added is killed', () => {
  const registry = createTreeRegistry({
    prepare: () => {},
    add: () => {},
    remove: () => {},
    exempt: () => {},
  });
  const { heard, entry } = createHeardTree();

  registry.forceKill('tool_a', () => {});
  registry.add('tool_a', entry);

  expect(heard).toEqual(['SIGKILL']);
});

test('force-killed trees that are never added are forgotten', () => {
  const registry = createTreeRegistry({
    prepare: () => {},
    add: () => {},
    remove: () => {},
    exempt: () => {},
  });
  const [old, young] = [createHeardTree(), createHeardTree()];

  for (let count = 0; count <= 1_000; count += 1) registry.forceKill(`tool_${count}`, () => {});
  registry.add('tool_0', old.entry);
  registry.add('tool_1000', young.entry);

  expect(old.heard).toEqual([]);
  expect(young.heard).toEqual(['SIGKILL']);
});

test('an exempt process is reported before its start and its group never', () => {
  const told: string[] = [];
  const registry = createTreeRegistry({
    prepare: () => {},
    add: () => void told.push('add'),
    remove: () => void told.push('remove'),
    exempt: (id) => void told.push(`spare ${id}`),
  });

  registry.exempt('tool_a');
  registry.add('tool_a', createHeardTree().entry);
  registry.remove('tool_a');

  expect(told).toEqual(['spare tool_a']);
});

test('the leader is known as long as its tree', () => {
  const changes: string[] = [];
  const registry = createTreeRegistry(
    { prepare: () => {}, add: () => {}, remove: () => {}, exempt: () => {} },
    { onChange: (id) => changes.push(`${id} ${registry.identityOf(id)?.pid}`) },
  );

  registry.add('tool_a', createHeardTree().entry);

  expect(changes).toEqual([`tool_a ${leaderIdentity.pid}`]);
  registry.remove('tool_a');
  expect(registry.identityOf('tool_a')).toBeUndefined();
});

/** Registry whose guard and options write down what they are told. */
function createHeardRegistry() {
  const told: string[] = [];
  const registry = createTreeRegistry(
    {
      prepare: () => void told.push('prepare'),
      add: ({ pid }) => void told.push(`guard ${pid}`),
      remove: ({ pid }) => void told.push(`unguard ${pid}`),
      exempt: (id) => void told.push(`exempt ${id}`),
    },
    {
      onChange: (id) => void told.push(`changed ${id}`),
      onRemoved: ({ pid }) => void told.push(`removed ${pid}`),
    },
  );
  return { told, registry };
}

test('a tree is guarded from its addition to its removal', () => {
  const { told, registry } = createHeardRegistry();
  const { entry } = createHeardTree();

  registry.prepare();
  registry.add('tool_a', entry);
  expect(registry.ids()).toEqual(['tool_a']);
  expect(registry.get('tool_a')).toBe(entry.tree);
  registry.remove('tool_a');
  registry.remove('tool_a');

  expect(told).toEqual(['prepare', 'guard 100', 'changed tool_a', 'unguard 100', 'removed 100']);
  expect(registry.ids()).toEqual([]);
  expect(registry.get('tool_a')).toBeUndefined();
});

test.each<[string, { isExempt?: boolean; cgroup?: string }, string[]]>([
  ['is guarded until the tree is removed', {}, ['guard 200', 'unguard 200']],
  ['of an exempt process is not guarded', { isExempt: true }, []],
  ['in a cgroup is not looked for', { cgroup: '/cg' }, []],
])('a sampled member without a mark %s', (_, { isExempt = false, cgroup = null }, expected) => {
  const told: string[] = [];
  const guard = {
    prepare: () => {},
    add: ({ pid }: { pid: number }) => void (pid === 200 && told.push('guard 200')),
    remove: ({ pid }: { pid: number }) => void (pid === 200 && told.push('unguard 200')),
    exempt: () => {},
  };
  const sampler: TreeSampler = {
    add: (_tree, onUnmarked) => {
      onUnmarked([entry(200, { pgid: 200, sid: 200 })]);
      return () => {};
    },
  };
  const registry = createTreeRegistry(guard, { sampler });
  if (isExempt) registry.exempt('tool_a');

  registry.add('tool_a', { ...createHeardTree().entry, identity: { ...leaderIdentity, cgroup } });
  registry.remove('tool_a');

  expect(told).toEqual(expected);
});

test('a closed registry looks for no more members', () => {
  const { guard, closed } = { guard: () => {}, closed: [] as string[] };
  const registry = createTreeRegistry(
    { prepare: guard, add: guard, remove: guard, exempt: guard },
    { sampler: { add: () => () => void closed.push('stopped') } },
  );
  registry.add('tool_a', createHeardTree().entry);

  registry.close();

  expect(closed).toEqual(['stopped']);
  expect(registry.ids()).toEqual(['tool_a']);
});

test('a tree of the same process takes the place of the one before', () => {
  const { told, registry } = createHeardRegistry();
  const [first, second] = [createHeardTree().entry, createHeardTree().entry];

  registry.add('tool_a', first);
  registry.add('tool_a', { ...second, identity: { ...leaderIdentity, pid: 101 } });

  expect(told).toEqual([
    ...['guard 100', 'changed tool_a', 'unguard 100', 'removed 100'],
    ...['guard 101', 'changed tool_a'],
  ]);
  expect(registry.identityOf('tool_a')?.pid).toBe(101);
});

test('a force-killed tree reports its signals, and is removed once it is gone', () => {
  const { told, registry } = createHeardRegistry();
  const { heard, listeners, entry } = createHeardTree();
  const signals: unknown[] = [];
  const sent = { signal: 'SIGKILL', via: 'group', pids: [100] } as const;
  registry.add('tool_a', entry);

  registry.forceKill('tool_a', (each) => signals.push(each));
  listeners[0]?.onSent?.(sent);
  expect(registry.ids()).toEqual(['tool_a']);
  listeners[0]?.onGone([]);

  expect(heard).toEqual(['SIGKILL']);
  expect(signals).toEqual([sent]);
  expect(registry.ids()).toEqual([]);
  expect(told.slice(-2)).toEqual(['unguard 100', 'removed 100']);
});

test('a kill before the addition counts once, and reports its signals, too', () => {
  const { registry } = createHeardRegistry();
  const [first, second] = [createHeardTree(), createHeardTree()];
  const signals: unknown[] = [];

  registry.forceKill('tool_a', (each) => signals.push(each));
  registry.add('tool_a', first.entry);
  first.listeners[0]?.onSent?.({ signal: 'SIGKILL', via: 'process', pids: [100] });
  registry.add('tool_a', second.entry);

  expect(first.heard).toEqual(['SIGKILL']);
  expect(second.heard).toEqual([]);
  expect(signals).toHaveLength(1);
});

test('a kill of a tree that was removed before its addition is forgotten', () => {
  const { registry } = createHeardRegistry();
  const { heard, entry } = createHeardTree();

  registry.forceKill('tool_a', () => {});
  registry.remove('tool_a');
  registry.add('tool_a', entry);

  expect(heard).toEqual([]);
});
