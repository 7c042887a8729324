import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { listSourceFiles, readImports, rootFolder } from '../house/source-imports.ts';
import { longFiles } from '../longest-first.ts';
import type { Mutant } from './find-mutants.ts';
import type { Hits } from './record-hits.ts';

/** Slow tests that seldom are the only ones to notice a change. */
const late = /^test\/(soak|docs|house|package|integration)\//;

/** Rank that a second of running time costs: cheap tests come first, so that more of them run within the limit. */
const RANK_PER_SECOND = 0.7;

/** Lists the test files of `npm test`. */
export function listTests(): readonly string[] {
  return listSourceFiles('test').filter(
    (file) => file.endsWith('.test.ts') && !file.startsWith('test/integration/'),
  );
}

/** Returns a function that orders the test files which ran the place of a mutant, the likeliest to notice it first. */
export function createTestChoice(hits: Hits): (mutant: Mutant) => readonly string[] {
  const relatedTests = createRelatedTests();
  return (mutant) => {
    const ran = hits(mutant).filter((file) => file !== '');
    const related = relatedTests(mutant.file);
    const chosen = [
      ...related.filter((file) => ran.includes(file)),
      ...ran.filter((file) => !related.includes(file)),
    ];
    // One file of many in a worker loads a module; a program may not know its test.
    const mayMiss = mutant.isStatic || hits(mutant).includes('');
    return mayMiss ? [...new Set([...chosen, ...related])] : chosen;
  };
}

/** Chooses the tests that may notice a change of a file, the likeliest first. */
export function createRelatedTests(): (file: string) => readonly string[] {
  const tests = listSourceFiles('test').filter((file) => !file.startsWith('test/integration/'));
  const between = ['src', 'machines', 'docs', 'examples'].flatMap(listSourceFiles);
  const users = findUsers([...tests, ...between]);
  const seconds = readSeconds();
  return (file) =>
    [...findDistances(file, users)]
      .filter(([path]) => path.endsWith('.test.ts'))
      .map(([path, distance]) => ({
        path,
        rank: rankTest({ path, distance, file, seconds: seconds.get(path) ?? null }),
      }))
      .sort((a, b) => a.rank - b.rank || a.path.localeCompare(b.path))
      .map(({ path }) => path);
}

/** Files by the files that import them or name their path. */
function findUsers(files: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const users = new Map<string, Set<string>>();
  for (const from of files)
    for (const to of listUsed(from)) users.set(to, (users.get(to) ?? new Set()).add(from));
  return users;
}

/** Programs and workers are not imported: their path is named, from the file or from the root. */
function listUsed(file: string): readonly string[] {
  const text = readFileSync(join(rootFolder, file), 'utf8');
  const named = [...text.matchAll(/['"`]((?:\.{1,2}|src|machines|test)\/[\w./-]+\.tsx?)['"`]/g)]
    .map(([, path = '']) => (path.startsWith('.') ? join(dirname(file), path) : path))
    .filter((path) => existsSync(join(rootFolder, path)));
  const types = new Set<string>();
  const imported = readImports(file).filter(({ isFile }) => isFile);
  for (const { to, kind } of imported) if (kind === 'type') types.add(to);
  for (const { to, kind } of imported) if (kind !== 'type') types.delete(to);
  return [...named, ...imported.map(({ to }) => to)].filter((to) => !types.has(to));
}

function findDistances(
  file: string,
  users: ReadonlyMap<string, ReadonlySet<string>>,
): ReadonlyMap<string, number> {
  const distances = new Map([[file, 0]]);
  // A map can be extended while it is walked: breadth first.
  for (const [path, distance] of distances)
    for (const user of users.get(path) ?? []) if (!distances.has(user)) distances.set(user, distance + 1);
  return distances;
}

interface Candidate {
  readonly path: string;
  /** Imports between the test and the file. */
  readonly distance: number;
  readonly file: string;
  /** Time that the test took in the last run here; `null` where none is known. */
  readonly seconds: number | null;
}

function rankTest({ path, distance, file, seconds }: Candidate): number {
  const folder = dirname(file).replace(/^(src|machines)\b/, 'test');
  const top = folder.split('/').slice(0, 2).join('/');
  const isMirrored = path.startsWith(`${top}/`);
  const name = basename(file).replace(/\.tsx?$/, '');
  let rank = distance;
  if (isMirrored) rank -= 2;
  if (path.startsWith(`${folder}/`) && folder !== top) rank -= 1;
  if (isMirrored && basename(path, '.test.ts') === name) rank -= 20;
  rank -= countSharedWords(path, file) * 1.5;
  if (isMirrored && readFileSync(join(rootFolder, path), 'utf8').includes(name)) rank -= 1;
  rank += seconds === null ? (longFiles.includes(path) ? 4 : 0) : seconds * RANK_PER_SECOND;
  if (late.test(path)) rank += 40;
  return rank;
}

/** Cache of vitest, as far as it is used here; durations in ms. */
interface LastRun {
  readonly projects: Readonly<
    Record<string, { readonly files: Readonly<Record<string, { readonly duration: number }>> }>
  >;
}

/** Reads how long the files took in the last run of vitest; empty before the first one. */
function readSeconds(): ReadonlyMap<string, number> {
  const folder = join(rootFolder, 'node_modules/.vite/vitest');
  const names = existsSync(folder) ? readdirSync(folder) : [];
  const paths = names.map((name) => join(folder, name, 'results.json')).filter((path) => existsSync(path));
  const projects = paths.flatMap((path) => {
    const { projects } = JSON.parse(readFileSync(path, 'utf8')) as LastRun;
    return Object.values(projects);
  });
  return new Map(
    projects.flatMap(({ files }) =>
      Object.entries(files).map(([file, { duration }]) => [file, duration / 1_000] as const),
    ),
  );
}

function countSharedWords(test: string, file: string): number {
  const words = new Set(toWords(test));
  return toWords(file).filter((word) => words.has(word)).length;
}

/** Words of a path below its two upper folders, without the `s` of a plural. */
function toWords(path: string): readonly string[] {
  const [, , ...parts] = path.replace(/(\.test)?\.tsx?$/, '').split('/');
  const words = parts
    .join('-')
    .split('-')
    .map((word) => word.replace(/s$/, ''));
  return [...new Set(words)].filter((word) => word.length > 2);
}
