import { mkdirSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRealClock } from '../../src/clock/real-clock.ts';
import { tempDir, waitUntil } from '../support/os.ts';
import { run, watch } from './rig.ts';

let directory: ReturnType<typeof tempDir>;
beforeEach(() => {
  directory = tempDir();
});
afterEach(() => directory.remove());

const idle = 'setInterval(() => {}, 1000)';

/** Until a file written now is older than any process started from here on. */
async function letFilesGrowOld(): Promise<void> {
  const giveUpAt = Date.now() + 60;
  await waitUntil(() => Date.now() > giveUpAt);
}

test('a file is ready when it appears', async () => {
  const child = run(`setTimeout(() => require('fs').writeFileSync(process.argv[1], ''), 100); ${idle}`, [
    directory.file('up'),
  ]);

  const verdict = watch({ file: 'up' }, { cwd: directory.path, pids: [child.pid] });

  expect(await verdict.first).toBe('ready');
});

test('a file written before the watch began counts', async () => {
  const child = run(`require('fs').writeFileSync(process.argv[1], ''); console.log(1); ${idle}`, [
    directory.file('up'),
  ]);
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  await letFilesGrowOld();

  const verdict = watch({ file: 'up' }, { cwd: directory.path, pids: [child.pid] });

  expect(await verdict.first).toBe('ready');
});

test('a file of an earlier run does not count', async () => {
  writeFileSync(directory.file('up'), '');
  await letFilesGrowOld();
  const child = run(idle);

  const verdict = watch({ file: 'up', within: 400 }, { cwd: directory.path, pids: [child.pid] });

  expect(await verdict.first).toBe(
    `not ready within 400 ms: it still waits for ${directory.file('up')} to be written again: it is from an earlier run`,
  );
});

test.each([
  ['written to', (path: string) => writeFileSync(path, 'again')],
  ['set back in time', (path: string) => utimesSync(path, 0, 0)],
  [
    'replaced by an older one',
    (path: string) => {
      writeFileSync(`${path}.new`, '');
      utimesSync(`${path}.new`, 0, 0);
      renameSync(`${path}.new`, path);
    },
  ],
  [
    'removed and made a directory',
    (path: string) => {
      rmSync(path);
      mkdirSync(path);
    },
  ],
])('an old file counts once it is %s', async (_, change) => {
  const path = directory.file('up');
  writeFileSync(path, '');
  await letFilesGrowOld();
  const child = run(idle);

  const verdict = watch({ file: path }, { clock: createRealClock(), pids: [child.pid] });
  change(path);

  expect(await verdict.first).toBe('ready');
});
