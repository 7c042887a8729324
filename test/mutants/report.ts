import { dirname } from 'node:path';
import type { Mutant } from './find-mutants.ts';
import type { Verdict } from './judge-mutant.ts';

export interface Judged {
  readonly mutant: Mutant;
  readonly verdict: Verdict;
}

const MAX_CODE = 300;

/** Formats a mutant: one line if it was noticed; a survivor with its code and the test files that ran. */
export function formatVerdict({ mutant, verdict }: Judged, progress: string): string {
  const title = `${mutant.file}:${mutant.line} ${mutant.mutator} (${progress})`;
  if (verdict.noticed !== 'nothing') return `${verdict.noticed.padEnd(8)} ${title}\n         ${verdict.by}`;
  const { ran, related } = verdict;
  return [
    `SURVIVES ${title}`,
    `  - ${shorten(mutant.before)}`,
    `  + ${shorten(mutant.after)}`,
    related === 0
      ? '  no test of `npm test` runs it'
      : `  ${ran.length} of ${related} test files that may run it ran: ${ran.join(' ')}`,
  ].join('\n');
}

/** The share noticed in all, and by folder. */
export function formatShares(judged: readonly Judged[]): string {
  const folders = Map.groupBy(judged, ({ mutant }) => dirname(mutant.file).split('/').slice(0, 2).join('/'));
  const byFolder = [...folders].toSorted(([a], [b]) => a.localeCompare(b));
  return [...byFolder.map(([folder, part]) => formatShare(folder, part)), formatShare('all', judged)].join(
    '\n',
  );
}

function formatShare(name: string, judged: readonly Judged[]): string {
  const count = (by: Verdict['noticed']) => judged.filter(({ verdict }) => verdict.noticed === by).length;
  const [types, tests, survivors] = [count('types'), count('tests'), count('nothing')];
  const compiling = tests + survivors;
  const share = Math.round(((types + tests) / judged.length) * 100);
  const shareByTests =
    compiling === 0 ? '' : `; of those that compile ${Math.round((tests / compiling) * 100)} %`;
  return `${name}: ${share} % of ${judged.length} noticed, ${tests} by tests, ${types} by types, ${survivors} by nothing${shareByTests}`;
}

function shorten(code: string): string {
  const line = code.replaceAll(/\s+/g, ' ');
  return line.length > MAX_CODE ? `${line.slice(0, MAX_CODE)}…` : line;
}
