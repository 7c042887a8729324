import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { instrumentPlaces, type Mutant } from './find-mutants.ts';
import { runTests } from './run-tests.ts';
import type { TreeCopy } from './tree-copy.ts';

/** Time limit of the run that records: the whole suite, with instrumented code. A quiet machine needs a quarter of it. */
const LIMIT_MS = 3_600_000;

/** Test files that ran the place of a mutant; the empty path stands for a program whose test is not known. */
export type Hits = (mutant: Mutant) => readonly string[];

/**
 * Runs the whole suite once, with all places instrumented, and records which test files run which place, in their programs, too. Throws
 * if the run was cut: places whose tests did not run would count as untested.
 */
export async function recordHits(
  copy: TreeCopy,
  mutants: readonly Mutant[],
  tests: readonly string[],
): Promise<Hits> {
  const record = join(copy.root, '.vitest/hits');
  const ids = new Map<Mutant, readonly string[]>();
  const byFile = Map.groupBy(mutants, ({ file }) => file);
  for (const [file, here] of byFile) {
    const places = here.map(({ location }) => location);
    const instrumented = await instrumentPlaces(copy.root, file, places);
    for (const mutant of here)
      ids.set(
        mutant,
        instrumented.ids(mutant.location).map((id) => `${file}#${id}`),
      );
    copy.write(file, `${recorder(file, record)}\n${instrumented.code}`);
  }
  const run = await runTests(copy, tests, LIMIT_MS, { bail: false });
  if (run.outcome === 'hung' || run.outcome === 'out of time')
    throw new Error(
      `The run that records which tests run what was cut (${run.outcome}), after ${run.ran.length} of ${tests.length} test files. Try again while little else runs.`,
    );
  for (const file of byFile.keys()) copy.restore(file);
  const lines = existsSync(record) ? readFileSync(record, 'utf8').trimEnd().split('\n') : [];
  const hits = lines.map((line) => line.split('\t'));
  return (mutant) => {
    const own = new Set(ids.get(mutant));
    return [...new Set(hits.filter(([, id = '']) => own.has(id)).map(([test = '']) => test))];
  };
}

/** Code of the functions that instrumented code calls. A page in a browser has no file to write to. */
function recorder(file: string, record: string): string {
  return `function stryMutAct_9fa48() { return false; }
function stryCov_9fa48(...ids) {
  const seen = (globalThis.mutantHits ??= new Set());
  const test = globalThis.process?.env?.TROUPE_MUTANT_TEST ?? '';
  for (const id of ids) {
    const line = test + '\\t' + ${JSON.stringify(`${file}#`)} + id + '\\n';
    if (seen.has(line)) continue;
    seen.add(line);
    globalThis.process?.getBuiltinModule?.('node:fs').appendFileSync(${JSON.stringify(record)}, line);
  }
}`;
}
