import { expect, test } from 'vitest';
import type { ProcessTree } from '../../../src/spawn/tree/process-tree.ts';
import { createTreeRegistry } from '../../../src/spawn/tree/tree-registry.ts';
import { leaderIdentity } from './entries.ts';

/** Tree that remembers its signals. */
function createHeardTree() {
  const heard: string[] = [];
  const tree: ProcessTree = {
    survey: async () => [],
    suspects: async () => [],
    end: async (signal) => void heard.push(signal),
    signal: async () => [],
    pause: async () => null,
    resume: async () => null,
    watch: () => () => {},
    recheck: () => {},
    leaderExited: () => {},
  };
  return { heard, entry: { tree, identity: leaderIdentity } };
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
