import { findTypeError } from './check-types.ts';
import type { Mutant } from './find-mutants.ts';
import { runTests } from './run-tests.ts';
import type { TreeCopy } from './tree-copy.ts';

/** Most kills come from the first files: a short first run saves the start of the others. */
const WAVES = [3, 12, 40, Number.POSITIVE_INFINITY];

export type Verdict =
  | { readonly noticed: 'types'; readonly by: string }
  | { readonly noticed: 'tests'; readonly by: string }
  | { readonly noticed: 'nothing'; readonly ran: readonly string[]; readonly related: number };

export interface Judge {
  readonly copy: TreeCopy;
  readonly chooseTests: (mutant: Mutant) => readonly string[];
  /** Time limit for the tests of one mutant. */
  readonly limitMs: number;
}

/** Returns a function that judges one mutant at a time. Tests that fail without a mutant, too, prove nothing and are left out. */
export function createJudge({ copy, chooseTests, limitMs }: Judge): (mutant: Mutant) => Promise<Verdict> {
  const sound = new Map<string, boolean>();

  /** Tells whether test files pass on the unchanged tree. */
  async function areSound(files: readonly string[]): Promise<boolean> {
    const key = files.join(' ');
    const known = sound.get(key);
    if (known !== undefined) return known;
    const { outcome } = await runTests(copy, files, limitMs);
    sound.set(key, outcome === 'passed');
    return outcome === 'passed';
  }

  async function runWaves(mutant: Mutant): Promise<Verdict> {
    const related = chooseTests(mutant);
    const ran: string[] = [];
    const untilMs = Date.now() + limitMs;
    let left = related.filter((file) => sound.get(file) !== false);
    for (const size of WAVES) {
      for (let wave = left.slice(0, size); wave.length > 0; ) {
        const withinMs = untilMs - Date.now();
        if (withinMs < 1_000) return { noticed: 'nothing', ran, related: related.length };
        copy.write(mutant.file, mutant.mutated);
        const run = await runTests(copy, wave, withinMs);
        copy.restore(mutant.file);
        ran.push(...run.ran);
        left = left.filter((file) => !run.ran.includes(file));
        wave = wave.filter((file) => !run.ran.includes(file));
        if (run.outcome === 'hung') return { noticed: 'tests', by: `a run of ${wave.join(' ')} that hangs` };
        if (run.outcome === 'out of time') return { noticed: 'nothing', ran, related: related.length };
        if (run.outcome === 'passed') break;
        const { test, file } = run.by;
        const suspects = file === undefined ? [...wave, ...run.ran] : [file];
        if (await areSound(suspects)) return { noticed: 'tests', by: `${suspects.join(' ')}: ${test}` };
        left = left.filter((path) => !suspects.includes(path));
        wave = wave.filter((path) => !suspects.includes(path));
      }
    }
    return { noticed: 'nothing', ran, related: related.length };
  }

  return async (mutant) => {
    copy.write(mutant.file, mutant.mutated);
    const error = findTypeError(copy.root, mutant.file);
    copy.restore(mutant.file);
    return error === null ? runWaves(mutant) : { noticed: 'types', by: error };
  };
}
