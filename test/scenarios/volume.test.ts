import { expect, test } from 'vitest';
import { listTerminals } from '../support/installed.ts';
import { countOpenFiles, listPids, parentOf, stateOf, waitUntil } from '../support/os.ts';
import { openRealHarness } from '../support/real.ts';
import { volume } from '../support/volume.ts';

const kinds = listTerminals();

test('time-out and exit at one moment end it once', { timeout: 120_000 }, async () => {
  await using stage = openRealHarness({
    maxParallelTools: 4,
    maxBackgroundProcesses: 1_000,
    stateDirectory: false,
  });
  const command = 'printf begin; sleep 0.04; printf end';
  const lives = await Promise.all([1, 2, 3, 4].map(() => stage.supervisor.start({ command }).ended));
  const lifeMs = Math.min(...lives.map(({ runtimeMs }) => runtimeMs));

  // Four at a time: a wait for a place would count against the time-out.
  const liveAndCheck = async (timeout: number) => {
    const handle = stage.supervisor.start({ command, timeout });
    const result = await handle.result();
    const view = await handle.ended;
    const promoted = stage.count('process.backgrounded', handle.id);
    expect(view.status).toBe('completed');
    expect(handle.read().text).toBe('beginend');
    expect(promoted).toBeLessThanOrEqual(1);
    expect(result).toMatchObject(
      promoted === 1 ? { type: 'backgrounded' } : { type: 'completed', stdout: 'beginend' },
    );
    return handle.id;
  };
  const ids: string[] = [];
  for (let count = 0; count < volume(44, 200); count += 4) {
    const timeouts = [0, 1, 2, 3].map((offset) => Math.max(1, lifeMs - 5 + ((count + offset) % 11)));
    ids.push(...(await Promise.all(timeouts.map(liveAndCheck))));
  }
  await stage.supervisor.shutdown();

  for (const id of ids) expect(stage.count('process.ended', id)).toBe(1);
});

test('a kill at any moment of a short life ends it once', { timeout: 120_000 }, async () => {
  await using stage = openRealHarness({ stateDirectory: false });
  const types = new Set<string>();

  for (let turns = 0; turns < 60; turns += volume(3, 1)) {
    const handle = stage.supervisor.start({ command: ['true'] });
    for (let left = turns; left > 0; left -= 1) await new Promise((resolve) => setImmediate(resolve));
    const answers = await Promise.all([handle.kill(), stage.supervisor.kill(handle.id)]);
    const view = await handle.ended;

    for (const { type } of answers) types.add(type);
    expect(['killed', 'completed']).toContain(view.status);
    expect(stage.count('process.ended', handle.id)).toBe(1);
    expect(stage.alive(handle.id)).toEqual([]);
  }
  expect([...types]).not.toContain('notFound');
});

test.each(kinds)(
  'many terminals of %s leave the descriptors as they were',
  { timeout: 240_000 },
  async (terminal) => {
    await using stage = openRealHarness({ terminal, maxBackgroundProcesses: 20, maxFinished: 10 });
    const start = () => stage.supervisor.start({ command: 'echo x', interactive: true, background: true });
    const round = async (count: number) => {
      for (let from = 0; from < count; from += 10) {
        await Promise.all(Array.from({ length: 10 }, () => start().ended));
      }
    };
    await round(volume(10, 20));
    const before = countOpenFiles();

    await round(volume(30, 200));

    await waitUntil(() => countOpenFiles() <= before + 2, {
      withinMs: 10_000,
      what: 'descriptors back at the baseline',
    });
  },
);

test('many short lives leave nothing behind', { timeout: 240_000 }, async () => {
  // The default of 30 s is too short for the last in the queue.
  await using stage = openRealHarness({ maxParallelTools: 8, maxFinished: 10, timeout: '10m' });
  const live = () => stage.supervisor.execute({ command: ['echo', 'hi'] });
  // Fills the pool of pipes, which are kept.
  await Promise.all(Array.from({ length: volume(40, 100) }, live));
  const before = resources();

  const results = await Promise.all(Array.from({ length: volume(100, 500) }, live));

  expect(results.filter(({ type }) => type !== 'completed')).toEqual([]);
  await expect
    .poll(resources, { timeout: 30_000, message: `resources before: ${JSON.stringify(before)}` })
    .toSatisfy((now: Resources) => isWithin(now, before));
  expect(stage.alive()).toEqual([]);
  expect(stage.supervisor.list()).toHaveLength(10);
  expect(process.listenerCount('exit')).toBe(before.exitListeners);
});

interface Resources {
  /** FIFOs excepted. */
  readonly descriptors: number;
  readonly fifos: number;
  readonly zombies: number;
  readonly active: number;
  readonly exitListeners: number;
}

/** Counts what this program holds, as the system and Node report it. */
function resources(): Resources {
  const fifos = countOpenFiles('/troupe-fifo-');
  return {
    descriptors: countOpenFiles() - fifos,
    fifos,
    zombies: listPids().filter((pid) => stateOf(pid) === 'Z' && parentOf(pid) === process.pid).length,
    active: process.getActiveResourcesInfo().filter((name) => !name.includes('Immediate')).length,
    exitListeners: process.listenerCount('exit'),
  };
}

/** Most FIFOs that eight commands at once need: two for each, which are kept, and on a busy machine some batches of 16 more. */
const maxFifos = 64;

/** Compares with a tolerance, since the test runner opens and closes files meanwhile. A leak would be one for each command. */
function isWithin(now: Resources, before: Resources): boolean {
  return (
    now.zombies === 0 &&
    now.fifos <= maxFifos &&
    now.descriptors <= before.descriptors + 3 &&
    now.active <= before.active + 3
  );
}
