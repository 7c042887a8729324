import { expect, test } from 'vitest';
import { parseResourceLimits } from '../../src/cli/resource-limit-flag.ts';
import { daemonProject } from './daemon-project.ts';

test('limits are read by their names, sizes with their units', () => {
  expect(
    parseResourceLimits([
      ...['memory=512M', 'processes=50', 'cpus=0.5', 'open-files=100', 'file-size=1.5GiB'],
      ...['nice=-3', 'oom-score-adj=500'],
    ]),
  ).toEqual({
    ...{ memoryBytes: 536_870_912, processes: 50, cpus: 0.5, openFiles: 100, fileBytes: 1_610_612_736 },
    ...{ nice: -3, oomScoreAdj: 500 },
  });
});

test.each([
  ['memory=2097152', 2_097_152],
  ['memory=2048k', 2_097_152],
  ['memory=2mb', 2_097_152],
  ['memory=1T', 2 ** 40],
])('the size %s is read', (text, memoryBytes) => {
  expect(parseResourceLimits([text])).toEqual({ memoryBytes });
});

test('without the flag there are no limits', () => {
  expect(parseResourceLimits()).toBeUndefined();
  expect(parseResourceLimits([])).toBeUndefined();
});

test.each([
  [
    ['speed=3'],
    '--limit is "speed=3"; expected NAME=VALUE with memory, processes, cpus, open-files, file-size, nice, oom-score-adj.',
  ],
  [['memry=3M'], '--limit is "memry=3M"; expected memory=VALUE.'],
  [
    ['memory'],
    '--limit is "memory"; expected NAME=VALUE with memory, processes, cpus, open-files, file-size, nice, oom-score-adj.',
  ],
  [['memory=5'], '--limit is "memory=5"; expected memory as a size such as 512M, in bytes at least 1M.'],
  [
    ['memory=lots'],
    '--limit is "memory=lots"; expected memory as a size such as 512M, in bytes at least 1M.',
  ],
  [
    ['file-size=1'],
    '--limit is "file-size=1"; expected file-size as a size such as 512M, in bytes at least 512.',
  ],
  [['nice=5', 'nice=6'], '--limit is "nice=6"; expected nice once.'],
])('%j is refused', (texts, message) => {
  expect(() => parseResourceLimits(texts)).toThrow(message);
});

test.each(['cpus=0', 'processes=1.5', 'nice=20', 'open-files=x', 'constructor=1'])(
  '%s is refused',
  (text) => {
    expect(() => parseResourceLimits([text])).toThrow(new RegExp(`^--limit is "${text}"; expected `));
  },
);

test('run, start and up take limits, and show and ps --usage say them', async () => {
  await using project = daemonProject();
  const command = 'ulimit -n; exec sleep 100';

  const ran = await project.troupe('run', '--limit', 'open-files=50', '-c', 'ulimit -n');
  const tooLarge = await project.troupe(
    'run',
    '--limit',
    'file-size=512',
    '-c',
    'exec head -c 3000 /dev/zero >big',
  );
  await project.troupe(
    'start',
    '--name',
    'limited',
    '--limit',
    'open-files=60',
    '--limit',
    'nice=5',
    '-c',
    command,
  );
  await project.call('wait', '--text', '60', 'limited');
  const shown = await project.call('show', 'limited');
  const listed = await project.call('ps', '--usage');
  const [listedAsJson] = JSON.parse((await project.call('ps', '-u', '--json')).stdout);
  await project.call('kill', 'limited');

  expect(ran.stdout).toBe('50\n');
  expect(tooLarge.code).toBe(128 + 25);
  expect(tooLarge.stderr).toMatch(
    /was ended by the kernel with SIGXFSZ: a file exceeded its limit fileBytes of 512 bytes\.\n$/,
  );
  expect(shown.stdout).toMatch(/^ {2}uses {7}1 process, .* of CPU time, .* of memory/m);
  expect(shown.stdout).toMatch(/^ {2}limits {5}at most 60 open files; niceness 5$/m);
  expect(listed.stdout).toMatch(/^ *└ 1 process, .* of CPU time, .* of memory/m);
  expect(listedAsJson).toMatchObject({
    label: 'limited',
    resourceLimits: { openFiles: 60, nice: 5 },
    usage: { processes: 1, ports: [] },
  });
});
