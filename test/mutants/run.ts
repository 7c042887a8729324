/**
 * Changes lines of `src` and `machines`, one at a time, and reports the changes that neither the types nor a test notices:
 * `npm run mutants -- 60 --seed 7 --only src/policy --seconds 120`. With `--tests test/policy` it judges by those tests alone, and need not run
 * the suite first to learn which tests run which line. Needs Linux: the tests run in a namespace.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { listSourceFiles, rootFolder } from '../house/source-imports.ts';
import { findTypeError } from './check-types.ts';
import { drawMutants } from './draw-mutants.ts';
import { createJudge } from './judge-mutant.ts';
import { recordHits } from './record-hits.ts';
import { createTestChoice, listTests } from './related-tests.ts';
import { formatShares, formatVerdict, type Judged } from './report.ts';
import { copyTree } from './tree-copy.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: 'string', default: String(Date.now() % 100_000) },
    only: { type: 'string', default: '' },
    tests: { type: 'string', default: '' },
    seconds: { type: 'string', default: '120' },
  },
});
const [count = '60'] = positionals;
const { seed, only, tests, seconds } = values;

if (spawnSync('unshare', ['--version']).status !== 0)
  throw new Error(
    '`unshare` is missing, and a mutant could kill any process of yours. It is part of util-linux.',
  );

const isBelow = (place: string) => (file: string) =>
  place === '' || file === place || file.startsWith(`${place.replace(/\/$/, '')}/`);
const files = [...listSourceFiles('machines'), ...listSourceFiles('src')].filter(isBelow(only));
if (files.length === 0) throw new Error(`--only ${only}: no file of src or machines starts with this path`);
const testFiles = listTests().filter(isBelow(tests));
if (testFiles.length === 0) throw new Error(`--tests ${tests}: no test file starts with this path`);

const copy = copyTree(rootFolder);
const judged: Judged[] = [];
process.on('exit', () => {
  copy.remove();
  if (judged.length > 0) console.log(formatShares(judged));
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));

mkdirSync(join(copy.root, '.vitest'), { recursive: true });
const broken = findTypeError(copy.root, 'src/index.ts');
if (broken !== null) throw new Error(`The unchanged tree has a type error: ${broken}`);

const mutants = await drawMutants({ root: copy.root, files, count: Number(count), seed: Number(seed) });
console.log(
  `seed ${seed}: ${mutants.length} mutants in ${new Set(mutants.map(({ file }) => file)).size} files`,
);
const chooseTests =
  tests === '' ? createTestChoice(await recordHits(copy, mutants, testFiles)) : () => testFiles;
const judge = createJudge({ copy, chooseTests, limitMs: Number(seconds) * 1_000 });
for (const mutant of mutants) {
  const startedMs = performance.now();
  const verdict = await judge(mutant);
  judged.push({ mutant, verdict });
  const tookS = Math.round((performance.now() - startedMs) / 1_000);
  console.log(formatVerdict({ mutant, verdict }, `${judged.length}/${mutants.length}, ${tookS} s`));
}
