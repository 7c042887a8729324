import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readCgroupUsage } from '../../../src/spawn/cgroup/cgroup-usage.ts';
import { type Controller, delegate, enableBelow, setLimit } from '../../../src/spawn/cgroup/controllers.ts';
import { joinCgroup } from '../../../src/spawn/cgroup/join-cgroup.ts';
import { findOwnCgroup, HOST_CGROUP } from '../../../src/spawn/cgroup/own-cgroup.ts';
import { createTestCgroups } from '../../support/cgroups.ts';
import { tempDir } from '../../support/os.ts';
import { openRealHarness } from '../../support/real.ts';

/** Makes a folder with the files of a cgroup. */
function createFolder(files: Readonly<Record<string, string>>): string {
  const { path, remove } = tempDir();
  onTestFinished(remove);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(path, name), text);
  return path;
}

const read = (path: string, file: string) => readFileSync(join(path, file), 'utf8');

test('a controller is delegated once', () => {
  const path = createFolder({ 'cgroup.controllers': 'cpu pids\n', 'cgroup.subtree_control': 'cpu\n' });

  expect(enableBelow(path, 'cpu')).toBeNull();
  expect(read(path, 'cgroup.subtree_control')).toBe('cpu\n');

  expect(enableBelow(path, 'pids')).toBeNull();
  expect(read(path, 'cgroup.subtree_control')).toBe('+pids');
});

test('a controller that the cgroup has not is unavailable', () => {
  const path = createFolder({ 'cgroup.controllers': '\n', 'cgroup.subtree_control': '' });
  expect(enableBelow(path, 'pids')).toMatch(
    new RegExp(`^the cgroup ${path} has no controller "pids"(: it belongs to a hierarchy of version 1)?$`),
  );
  expect(read(path, 'cgroup.subtree_control')).toBe('');
});

test('a setting that the kernel has not is left out only if it is optional', () => {
  const path = createFolder({ 'pids.max': '1' });

  setLimit(join(path, 'pids.max'), { value: '5', isOptional: false });
  setLimit(join(path, 'memory.oom.group'), { value: '1', isOptional: true });

  expect(read(path, 'pids.max')).toBe('5');
  expect(() => setLimit(join(path, 'memory.max'), { value: '1', isOptional: false })).toThrow('ENOENT');
});

test('figures of a cgroup are read from its files', () => {
  const path = createFolder({
    'cpu.stat': 'usage_usec 1234567\nuser_usec 1000000\n',
    'memory.current': '4096\n',
    'memory.peak': '8192\n',
    'memory.events': 'low 0\noom 1\noom_kill 2\noom_group_kill 1\n',
    'io.stat': '8:0 rbytes=100 wbytes=10 rios=5\n8:16 rbytes=200 wbytes=20 rios=5\n',
  });

  expect(readCgroupUsage(path)).toEqual({
    ...{ cpuMs: 1_235, memoryBytes: 4_096, peakMemoryBytes: 8_192 },
    ...{ readBytes: 300, writtenBytes: 30, oomKills: 2 },
  });
});

test('figures without a controller are unknown', () => {
  const path = createFolder({ 'cpu.stat': 'usage_usec 0\n' });
  const unknown = {
    memoryBytes: null,
    peakMemoryBytes: null,
    readBytes: null,
    writtenBytes: null,
    oomKills: 0,
  };

  expect(readCgroupUsage(path)).toEqual({ cpuMs: 0, ...unknown });
  expect(readCgroupUsage(join(path, 'gone'))).toEqual({ cpuMs: null, ...unknown });
});

/** Controller that can be tried here: the delegation is the same for all. `null` without any. */
function findOffered(): string | null {
  const own = findOwnCgroup();
  const [offered] = 'path' in own ? read(own.path, 'cgroup.controllers').trim().split(' ') : [];
  if (offered) return offered;
  console.warn('Tests that delegate a controller are SKIPPED: the cgroup of this program has none.');
  return null;
}

describe.skipIf(findOffered() === null)('delegating a controller', () => {
  const controller = findOffered() as Controller;

  /** Opens the cgroup of a program that may delegate the controller. */
  function openDelegated(): string {
    const cgroups = createTestCgroups();
    const path = cgroups.open({ id: 'tool_a', attempt: 1, outlives: false, limits: null }) ?? '';
    const above = [dirname(dirname(dirname(path))), dirname(dirname(path)), dirname(path)];
    const added = above.filter((each) => !read(each, 'cgroup.subtree_control').includes(controller));
    for (const each of added) delegate(each, controller);
    onTestFinished(() => {
      cgroups.remove(join(path, HOST_CGROUP));
      cgroups.remove(path);
      for (const each of added.toReversed())
        writeFileSync(join(each, 'cgroup.subtree_control'), `-${controller}`);
      cgroups.close();
    });
    return path;
  }

  /** Enables the controller in a program in that cgroup; `with` says who else is there. */
  function enableIn(path: string, company: 'alone' | 'with a shell'): unknown {
    const source = join(import.meta.dirname, '../../../src/spawn/cgroup');
    const script = `
      import { readFileSync } from 'node:fs';
      import { enableBelow } from '${source}/controllers.ts';
      import { findOwnCgroup } from '${source}/own-cgroup.ts';
      const why = enableBelow('${path}', '${controller}');
      const now = readFileSync('/proc/self/cgroup', 'utf8').match(/^0::.*\\/(.*)$/m)[1];
      console.log(JSON.stringify({ why, now, base: findOwnCgroup().path }));`;
    const node = `"${process.execPath}" --input-type=module -e "$0"`;
    const line = company === 'alone' ? `exec ${node}` : `${node}; true`;
    const [file, ...args] = joinCgroup(path, { command: ['sh', '-c', line, script], env: process.env });
    return JSON.parse(spawnSync(file, args, { encoding: 'utf8' }).stdout);
  }

  test('a program alone in its cgroup moves below it', () => {
    const path = openDelegated();
    expect(enableIn(path, 'alone')).toEqual({ why: null, now: HOST_CGROUP, base: path });
    expect(read(path, 'cgroup.subtree_control').trim()).toBe(controller);
  });

  test('a program with others in its cgroup stays, and says why', () => {
    const path = openDelegated();
    expect(enableIn(path, 'with a shell')).toEqual({
      why: expect.stringMatching(
        new RegExp(
          `^the cgroup ${path} cannot delegate the controller "${controller}", because it contains process \\d+ of another program$`,
        ),
      ),
      now: basename(path),
      base: path,
    });
    expect(read(path, 'cgroup.subtree_control').trim()).toBe('');
  });
});

/** Returns whether the controller can be had here; says so where tests are skipped. */
function has(controller: 'memory' | 'pids' | 'cpu'): boolean {
  const cgroups = createTestCgroups();
  const why = cgroups.enable(controller);
  cgroups.close();
  if (why !== null) console.warn(`Tests with the controller "${controller}" are SKIPPED: ${why}.`);
  return why === null;
}

describe.skipIf(!has('pids'))('with the controller pids', () => {
  test('a command cannot start more processes than its limit', async () => {
    await using stage = openRealHarness();
    const command = 'for i in 1 2 3 4 5 6 7 8; do sleep 5 & done; jobs | wc -l; kill $(jobs -p)';

    const limited = await stage.supervisor.execute({ command, resourceLimits: { processes: 4 } });

    expect('output' in limited && limited.output).toMatch(/fork|Resource temporarily unavailable/i);
  });
});

describe.skipIf(!has('cpu'))('with the controller cpu', () => {
  test('a command is slowed down to its share of a processor', async () => {
    await using stage = openRealHarness();
    const command = 'timeout 1 sh -c "while :; do :; done"';

    const { cpuMs } = await stage.supervisor.start({ command, resourceLimits: { cpus: 0.1 } }).ended;

    expect(cpuMs).toBeLessThan(300);
  });
});

describe.skipIf(!has('memory'))('with the controller memory', () => {
  test('a command that exceeds its memory is killed with all it started, and says so', async () => {
    await using stage = openRealHarness();
    const allocate = `perl -e '$x = "a" x 209715200; sleep 100'`;

    const view = await stage.supervisor.start({
      command: `sleep 100 & ${allocate}; echo survived`,
      resourceLimits: { memoryBytes: 50 * 1024 * 1024 },
    }).ended;

    expect(view).toMatchObject({
      status: 'failed',
      reason: { type: 'outOfMemory', limitBytes: 50 * 1024 * 1024, signal: 'SIGKILL' },
      leftovers: [],
    });
    expect(view.peakMemoryBytes).toBeGreaterThan(40 * 1024 * 1024);
  });
});
