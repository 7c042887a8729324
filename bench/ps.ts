import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Answer, print } from './answer.ts';
import { writeManyRecords } from './many-records.ts';
import { alternate, formatNumber, formatSpread, timeMs } from './rounds.ts';

const RECORDS = 1_000;
const MOST_RATIO = 2;
const program = join(import.meta.dirname, '../dist/src/cli/main.js');

/** ms from the start of a Node to its end, its output read from a pipe. */
function running(args: readonly string[], cwd: string): () => Promise<number> {
  return () =>
    timeMs(() => {
      const { status, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
      if (status !== 0 || stderr !== '') throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}`);
    });
}

export async function answerPs(): Promise<Answer> {
  if (!existsSync(program))
    throw new Error(`There is no ${program}: run \`npm run build\` first; \`npm run bench\` does.`);
  const directory = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
  await writeManyRecords(join(directory, '.troupe'), { count: RECORDS, as: 'ended' });
  const goals: Readonly<Record<string, readonly string[]>> = {
    '`troupe --version`': [program, '--version'],
    [`\`troupe ps\`, ${RECORDS} records`]: [program, 'ps'],
  };
  const findings = await alternate(
    [
      { name: 'an empty Node', run: running(['-e', '0'], directory) },
      ...Object.entries(goals).map(([name, args]) => ({ name, run: running(args, directory) })),
      { name: `\`troupe ps -a\`, ${RECORDS} records`, run: running([program, 'ps', '-a'], directory) },
    ],
    { rounds: 40, warmUps: 3 },
  );
  rmSync(directory, { recursive: true });
  return {
    question: 'How long does it take to ask what runs?',
    measured: `Milliseconds from the start of the built program to its end, in a directory with ${RECORDS} records of processes that have ended and whose supervisor is dead.`,
    columns: ['program', 'ms', 'ratio'],
    rows: findings.map((finding) => ({
      cells: [finding.name, formatSpread(finding), formatNumber(finding.ratio)],
      ...(finding.name in goals && {
        goal: { text: `< ${MOST_RATIO}`, isMet: finding.ratio < MOST_RATIO },
      }),
    })),
  };
}

if (import.meta.main) print(await answerPs());
