import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type Answer, judge, print } from './answer.ts';
import { alternate, formatNumber, formatSpread } from './rounds.ts';

const MOST_MS = 150;
const root = join(import.meta.dirname, '..');
const door = 'dist/library/index.js';

/** Processor time of a fresh Node, of all its threads, in ms. */
function loading(module: string | null): () => Promise<number> {
  const load = module === null ? '' : `await import(${JSON.stringify(module)});`;
  const program = `${load} const { user, system } = process.cpuUsage(); console.log((user + system) / 1000);`;
  return async () => {
    const { stdout, stderr, status } = spawnSync(
      process.execPath,
      ['--input-type=module', '--eval', program],
      { cwd: root, encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(`import '${module}' ended with ${status}: ${stderr}`);
    return Number(stdout);
  };
}

export async function answerImport(): Promise<Answer> {
  if (!existsSync(join(root, door)))
    throw new Error(`There is no ${door}: run \`npm run build\` first; \`npm run bench\` does.`);
  const findings = await alternate(
    [
      { name: 'nothing', run: loading(null) },
      { name: "`import 'troupe'`", run: loading('troupe') },
      ...['xstate', 'rxjs', 'zod', 'execa'].map((name) => ({
        name: `\`import '${name}'\``,
        run: loading(name),
      })),
    ],
    { rounds: 10, warmUps: 1 },
  );
  const empty = findings[0]?.median ?? 0;
  return {
    question: "What does `import 'troupe'` cost?",
    measured:
      'Processor time of all threads of a fresh Node until the built package is loaded, in milliseconds; without a compile cache.',
    columns: ['a program with', 'ms', 'more than nothing'],
    rows: findings.map((finding) => {
      const more = finding.median - empty;
      return {
        cells: [finding.name, formatSpread(finding), formatNumber(more)],
        ...(finding.name === "`import 'troupe'`" && {
          ...judge(`≤ ${MOST_MS} ms more`, more <= MOST_MS),
        }),
      };
    }),
  };
}

if (import.meta.main) print(await answerImport());
