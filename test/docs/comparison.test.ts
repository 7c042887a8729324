import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { endAll, isAlive, tempDir, waitUntil } from '../support/os.ts';
import {
  answerOf,
  closeSupervisors,
  contenders,
  killFamily,
  pidsIn,
  starterOf,
  timeoutOf,
} from './comparison.ts';

vi.setConfig({ testTimeout: 120_000 });

const root = join(import.meta.dirname, '../..');
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const folder = tempDir();
/** All that is started here carries it, troupe's processes beside their own marks. */
const lineage = `/test_${randomUUID()}/`;
vi.stubEnv('TROUPE_LINEAGE', lineage);

afterAll(async () => {
  await closeSupervisors();
  await endAll([], lineage);
  folder.remove();
});

/** The cells of a row of the table in the README, without the name of the row. */
function row(start: string): readonly string[] {
  const line = readme.split('\n').find((each) => each.startsWith(`| ${start}`));
  return (line ?? '')
    .split('|')
    .slice(2, -1)
    .map((cell) => /^\[?([^ ,:\]]+)/.exec(cell.trim())?.[1] ?? '');
}

const toCell = (holds: boolean) => (holds ? 'yes' : 'no');

test('a kill reaches the children of a command as the README says', async () => {
  const cells: string[] = [];
  for (const contender of contenders) {
    const child = await killFamily(contender, folder.file(`kill-${contender.replace(':', '-')}`));
    cells.push(toCell(!isAlive(child)));
  }

  expect(cells).toEqual(row('Kill'));
});

test('processes end with the program that started them as the README says', async () => {
  const files = contenders.map((contender) => folder.file(`starter-${contender.replace(':', '-')}`));
  const starters: ChildProcess[] = contenders.map((contender, index) =>
    spawn(process.execPath, ['-e', starterOf[contender](files[index] ?? '', root)], { stdio: 'ignore' }),
  );
  const pids = await Promise.all(files.map(pidsIn));

  for (const starter of starters) starter.kill('SIGKILL');
  await waitUntil(() => starters.every(({ signalCode }) => signalCode === 'SIGKILL'));
  await waitUntil(() => !isAlive(pids.at(-1)?.[0] ?? 0));

  // The others have had as long as troupe's needed.
  expect(pids.map(([child]) => toCell(!isAlive(child)))).toEqual(row('The starting program is killed'));
});

test('a child that holds the output delays the answer as the README says', async () => {
  const answered = new Set<string>();
  const answers = contenders.map((contender) => {
    const file = folder.file(`holder-${contender.replace(':', '-')}`);
    const answer = answerOf[contender](`sleep 600 & echo hi > '${file}'; echo hi`);
    return { file, answer: answer.then(() => answered.add(contender)) };
  });

  await waitUntil(() => answers.every(({ file }) => existsSync(file)));
  await answers.at(-1)?.answer;

  expect(contenders.map((contender) => toCell(answered.has(contender)))).toEqual(row('A command answers'));
  await endAll([], lineage);
  await Promise.all(answers.map(({ answer }) => answer));
});

test('a command survives the timeout of its caller as the README says', async () => {
  const cells: string[] = [];
  for (const contender of contenders) {
    const file = folder.file(`timeout-${contender.replace(':', '-')}`);
    await timeoutOf[contender](`sh -c 'echo 0 $$ > ${file}; exec sleep 600'`);
    const [, leader] = await pidsIn(file);
    cells.push(toCell(isAlive(leader)));
  }

  expect(cells).toEqual(row('A command outlives'));
});

test('the cost of a start in the README is that of the benchmarks', () => {
  const benchmarks = readFileSync(join(root, 'docs/benchmarks.md'), 'utf8');
  const [, list = ''] = /\n## What does it cost to start a process\?\n(.*?)\n## /s.exec(benchmarks) ?? [];
  const ratioOf = (name: string) =>
    new RegExp(`^\\| one by one, after 700 \\| ${name} \\|[^|]*\\| ([\\d.]+) × \\|`, 'm').exec(list)?.[1];

  const shown = row('A start costs');

  expect(shown).toEqual([ratioOf('node:child_process'), ratioOf('execa'), '–', ratioOf('troupe')]);
  expect(shown[3]).toMatch(/^1\.\d\d$/);
});
