import { expect, test } from 'vitest';
import { turn } from '../support/virtual.ts';
import { createGroupRig } from './group-rig.ts';

const restart = { policy: 'transient', minBackoff: 200, maxBackoff: 200 } as const;

const chain = {
  a: { command: ['a'], restart },
  b: { command: ['b'], restart, dependsOn: ['a'] },
  c: { command: ['c'], restart, dependsOn: ['b'] },
  d: { command: ['d'], restart, dependsOn: ['c'] },
} as const;

function createChain(strategy: 'oneForOne' | 'oneForAll' | 'restForOne') {
  return createGroupRig({ strategy, processes: structuredClone(chain) as never });
}

test.each([
  ['oneForOne', ['b#2']],
  ['oneForAll', ['a#2', 'b#2', 'c#2', 'd#2']],
  ['restForOne', ['b#2', 'c#2', 'd#2']],
] as const)('%s restarts exactly whom it should', async (strategy, restarted) => {
  await using rig = createChain(strategy);
  await rig.group.ready();

  rig.runOf('b').exit({ code: 1 });
  await rig.pass(60_000);

  expect(rig.starts().slice(4).sort()).toEqual(restarted);
});

test('the rest is ended in reverse and started in order', async () => {
  await using rig = createChain('restForOne');
  await rig.group.ready();
  const [c, d] = [rig.runOf('c'), rig.runOf('d')];
  d.obeys = (signal) => signal === 'SIGKILL';

  rig.runOf('b').exit({ code: 1 });
  await rig.pass(1_000);
  const whileDStops = { c: [...c.signals], d: [...d.signals], starts: rig.starts().slice(4) };
  await rig.pass(10_000);

  expect(whileDStops).toEqual({ c: [], d: ['SIGTERM'], starts: [] });
  expect(c.signals).toEqual(['SIGTERM']);
  expect(rig.starts().slice(4)).toEqual(['b#2', 'c#2', 'd#2']);
  expect(rig.group.view().notes).toEqual([
    'b terminated: restForOne',
    'd is restarted because b terminated',
    'c is restarted because b terminated',
  ]);
});

test.each([
  ['a normal end', 0, 'transient'],
  ['the end of a temporary process', 1, 'temporary'],
] as const)('%s leaves the others alone', async (_, code, policy) => {
  await using rig = createGroupRig({
    strategy: 'oneForAll',
    processes: { a: { command: ['a'], restart: { policy } }, b: { command: ['b'], restart } },
  });
  await rig.group.ready();

  rig.runOf('a').exit({ code });
  await rig.pass(5_000);

  expect(rig.starts()).toEqual(['a#1', 'b#1']);
});

test('a member that has ended for good is not restarted', async () => {
  await using rig = createChain('oneForAll');
  await rig.group.ready();
  await rig.group.get('c')?.kill();

  rig.runOf('a').exit({ code: 1 });
  await rig.pass(5_000);

  expect(rig.starts().slice(4).sort()).toEqual(['a#2', 'b#2', 'd#2']);
});

test('the next is restarted only when the one before is ready', async () => {
  await using rig = createGroupRig({
    strategy: 'restForOne',
    processes: {
      a: { command: ['a'], restart, ready: { line: 'up' } },
      b: { command: ['b'], restart, ready: { line: 'up' }, dependsOn: ['a'] },
      c: { command: ['c'], restart, dependsOn: ['b'] },
    },
  });
  for (const name of ['a', 'b']) {
    rig.runOf(name).print('up\n');
    await turn();
  }
  await rig.group.ready();

  rig.runOf('a').exit({ code: 1 });
  await rig.pass(1_000);
  const beforeReady = rig.starts().slice(3);
  rig.runOf('a').print('up\n');
  await rig.pass(1_000);
  const afterFirst = rig.starts().slice(3);
  rig.runOf('b').print('up\n');
  await rig.pass(1_000);

  expect(beforeReady).toEqual(['a#2']);
  expect(afterFirst).toEqual(['a#2', 'b#2']);
  expect(rig.starts().slice(3)).toEqual(['a#2', 'b#2', 'c#2']);
});

test('two that terminate together make one round', async () => {
  await using rig = createChain('oneForAll');
  await rig.group.ready();

  rig.runOf('a').exit({ code: 1 });
  rig.runOf('d').exit({ code: 1 });
  await rig.pass(60_000);

  const notes = rig.group.view().notes.filter((note) => note.includes('terminated: '));
  expect(notes).toEqual(['a terminated: oneForAll']);
  expect(
    new Set(
      rig
        .starts()
        .slice(4)
        .map((start) => start[0]),
    ),
  ).toEqual(new Set(['a', 'b', 'c', 'd']));
});

test('a member that ends again after its turn begins another round', async () => {
  await using rig = createGroupRig({
    strategy: 'restForOne',
    processes: {
      ...structuredClone(chain),
      c: { ...chain.c, ready: { line: 'up' }, dependsOn: ['b'] },
    } as never,
  });
  await rig.pass(50);
  rig.runOf('c').print('up\n');
  await rig.group.ready();

  rig.runOf('b').exit({ code: 1 });
  await rig.pass(1_000);
  const untilCIsReady = rig.starts().slice(4);
  rig.runOf('b').exit({ code: 1 });
  await rig.pass(1_000);
  rig.runOf('c').print('up\n');
  await rig.pass(1_000);

  expect(untilCIsReady).toEqual(['b#2', 'c#2']);
  expect(rig.starts().slice(4)).toEqual(['b#2', 'c#2', 'b#3', 'c#3', 'd#2']);
  expect(rig.group.get('d')?.status).toBe('backgrounded');
});

test.each([
  ['oneForOne', ['a', 'c', 'd']],
  ['oneForAll', []],
  ['restForOne', ['a']],
] as const)('%s leaves exactly %j when one gives up', async (strategy, alive) => {
  await using rig = createGroupRig({
    strategy,
    processes: {
      ...structuredClone(chain),
      b: { command: ['b'], dependsOn: ['a'], restart: { ...restart, maxRestarts: 1 } },
    } as never,
  });
  await rig.group.ready();

  for (let fall = 0; fall < 2; fall += 1) {
    rig.runOf('b').exit({ code: 7 });
    await rig.pass(2_000);
  }

  const running = rig.group.names.filter((name) => rig.group.get(name)?.status === 'backgrounded');
  const notes = rig.group.view().notes.filter((note) => note.includes('gave up'));
  const others = rig.group.names.filter((name) => name !== 'b' && !alive.includes(name as never));
  expect(running).toEqual(alive);
  expect(notes).toEqual([
    `b gave up after 1 restarts: it exited with code 7${others.length === 0 ? '' : `; stopped with it: ${others.join(', ')}`}`,
  ]);
  expect(rig.group.view().state).toBe(strategy === 'oneForAll' ? 'ended' : 'up');
});

test('a crash loop restarts the others no more often', async () => {
  await using rig = createGroupRig({
    strategy: 'oneForAll',
    processes: {
      a: { command: ['a'], restart: { ...restart, maxRestarts: 3 } },
      b: { command: ['b'], restart },
    },
  });
  await rig.group.ready();

  while (rig.group.get('a')?.status !== 'failed') {
    rig.runOf('a').exit({ code: 1 });
    await rig.pass(1_000);
  }
  const { message } = await rig.group.ended;

  expect(rig.starts().filter((start) => start.startsWith('a'))).toHaveLength(4);
  expect(rig.starts().filter((start) => start.startsWith('b'))).toHaveLength(4);
  expect(message).toMatch('a gave up after 3 restarts');
});

test('a stop ends a round where it is', async () => {
  await using rig = createChain('oneForAll');
  await rig.group.ready();

  rig.runOf('a').exit({ code: 1 });
  await turn();
  const report = rig.group.stop();
  await rig.pass(10_000);
  const { members } = await report;

  expect(rig.starts()).toEqual(['a#1', 'b#1', 'c#1', 'd#1']);
  expect(members.map(({ name, answer }) => `${name} ${answer.type}`)).toEqual([
    'd killed',
    'c killed',
    'b killed',
    'a cancelled',
  ]);
});
