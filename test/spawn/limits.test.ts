import { expect, test } from 'vitest';
import type { ResourceLimits } from '../../src/config/resource-limits.ts';
import { toCgroupSettings } from '../../src/spawn/cgroup/controllers.ts';
import { type LimitPowers, needsCgroup, planLimits, toExceeded, toLimited } from '../../src/spawn/limits.ts';

const MIB = 1024 * 1024;

const powers: LimitPowers = {
  platform: 'linux',
  enable: () => null,
  capabilities: new Set(),
  maxOpenFiles: 1_024,
  minNice: 20,
  nice: 0,
  oomScoreAdj: 0,
  hasNiceProgram: true,
};
const noController = { enable: (controller: string) => `there is no ${controller}` };

function plan(limits: ResourceLimits, own: Partial<LimitPowers> = {}, writesOwnLog = false) {
  return planLimits(limits, { writesOwnLog, powers: { ...powers, ...own } });
}

test.each<[name: string, limits: ResourceLimits, own: Partial<LimitPowers>]>([
  ['as many open files as allowed', { openFiles: 1_024 }, {}],
  ['a higher niceness', { nice: 5 }, {}],
  ['the niceness that it has', { nice: 4 }, { nice: 4 }],
  ['a lower niceness with the right to it', { nice: -5 }, { capabilities: new Set([23]) }],
  ['a lower niceness within RLIMIT_NICE', { nice: -5 }, { minNice: -5 }],
  ['a higher oom_score_adj', { oomScoreAdj: 0 }, {}],
  ['a lower oom_score_adj with the right to it', { oomScoreAdj: -1 }, { capabilities: new Set([24]) }],
  ['processes and processors with their controllers', { processes: 5, cpus: 0.5 }, {}],
  ['file sizes', { fileBytes: 512 }, noController],
])('limits are kept: %s', (_, limits, own) => {
  expect(plan(limits, own)).toEqual(limits);
});

test.each<[limits: ResourceLimits, own: Partial<LimitPowers>, message: string]>([
  [
    { openFiles: 1_025 },
    {},
    'this program may have 1024 open files at most. Give at most 1024, or raise the limit of this program (ulimit -Hn).',
  ],
  [
    { nice: -1 },
    {},
    'this program has the niceness 0 and may not lower it. Give at least 0, or the right to raise priorities (CAP_SYS_NICE).',
  ],
  [
    { nice: -6 },
    { minNice: -5 },
    'this program has the niceness 0 and may not lower it. Give at least -5, or the right to raise priorities (CAP_SYS_NICE).',
  ],
  [
    { nice: 1 },
    { hasNiceProgram: false },
    'the program "nice" is missing. Install coreutils, or leave it out.',
  ],
  [
    { oomScoreAdj: -1 },
    {},
    'this program has 0 and may not lower it. Give at least 0, or the right to lower it (CAP_SYS_RESOURCE).',
  ],
  [{ oomScoreAdj: 1 }, { platform: 'darwin' }, 'it exists only on Linux. Leave it out.'],
  [
    { cpus: 1 },
    noController,
    'only cgroups limit it, and there is no cpu. Run this program as root or in a cgroup of its own with delegated controllers (systemd-run --user --scope -p Delegate=yes …), or leave it out.',
  ],
  [
    { memoryBytes: MIB },
    { ...noController, platform: 'darwin' },
    'this system cannot limit memory (there is no memory). Leave it out.',
  ],
])('a limit is refused: %o', (limits, own, message) => {
  const [option] = Object.keys(limits);
  const planned = plan(limits, own);
  expect('option' in planned && `${planned.why}. ${planned.remedy}`).toBe(message);
  expect(planned).toMatchObject({ option });
});

test('the memory of the tree is limited with the controller, that of each process without', () => {
  expect(plan({ memoryBytes: MIB })).toEqual({ memoryBytes: MIB, memoryOf: 'tree' });
  expect(plan({ memoryBytes: MIB }, noController)).toEqual({ memoryBytes: MIB, memoryOf: 'process' });
});

test('a cgroup gets the limits that it keeps', () => {
  const settings = toCgroupSettings({
    ...{ memoryBytes: 5 * MIB, memoryOf: 'tree', processes: 7, cpus: 0.25 },
    ...{ openFiles: 5, fileBytes: 5, nice: 5, oomScoreAdj: 5 },
  });

  expect(
    settings.map(({ controller, file, value, isOptional }) => [controller, file, value, isOptional]),
  ).toEqual([
    ['memory', 'memory.max', '5242880', false],
    ['memory', 'memory.swap.max', '0', true],
    ['memory', 'memory.oom.group', '1', true],
    ['pids', 'pids.max', '7', false],
    ['cpu', 'cpu.max', '25000 100000', false],
  ]);
  expect(toCgroupSettings({ memoryBytes: MIB, memoryOf: 'process', openFiles: 5 })).toEqual([]);
  expect(toCgroupSettings({ cpus: 0.001 })).toMatchObject([{ value: '1000 100000' }]);
});

test.each<[limits: ResourceLimits & { memoryOf?: 'tree' | 'process' }, needs: boolean]>([
  [{ processes: 1 }, true],
  [{ cpus: 1 }, true],
  [{ memoryBytes: MIB, memoryOf: 'tree' }, true],
  [{ memoryBytes: MIB, memoryOf: 'process' }, false],
  [{ openFiles: 9, fileBytes: 512, nice: 1, oomScoreAdj: 1 }, false],
])('limits need a cgroup: %o %s', (limits, needs) => {
  const error = toLimited(['true'], { limits, env: {}, cgroup: null, joins: false });

  expect(needsCgroup(limits)).toBe(needs);
  expect(error instanceof Error && error.message).toBe(
    needs &&
      'its cgroup, which keeps its limits, could not be made. Start it again, or without "resourceLimits"',
  );
});

test('a command without limits and cgroup is started as it is', () => {
  expect(toLimited(['echo', 'a'], { limits: null, env: {}, cgroup: null, joins: true })).toEqual([
    'echo',
    'a',
  ]);
  expect(toLimited(['echo', 'a'], { limits: null, env: {}, cgroup: '/cg', joins: false })).toEqual([
    'echo',
    'a',
  ]);
});

test.each([
  [
    'SIGKILL',
    { memoryBytes: 5, memoryOf: 'tree' },
    1,
    { type: 'outOfMemory', limitBytes: 5, signal: 'SIGKILL' },
  ],
  ['SIGKILL', { memoryBytes: 5, memoryOf: 'tree' }, 0, null],
  ['SIGKILL', { memoryBytes: 5, memoryOf: 'process' }, 1, null],
  ['SIGTERM', { memoryBytes: 5, memoryOf: 'tree' }, 1, null],
  ['SIGXFSZ', { fileBytes: 6 }, 0, { type: 'fileTooLarge', limitBytes: 6, signal: 'SIGXFSZ' }],
  ['SIGXFSZ', { openFiles: 6 }, 0, null],
  ['SIGKILL', null, 1, null],
] as const)(
  'an end by %s under %o with %s kills for want of memory has its reason',
  (signal, limits, oomKills, exceeded) => {
    expect(toExceeded({ code: null, signal }, { limits, oomKills })).toEqual(exceeded);
  },
);
