/**
 * Runs the integration tests: `npm run test:integration`, or those of one folder, `npm run test:integration -- bundlers`. Builds and packs
 * troupe and installs what the chosen folders need, each only if it has changed; then checks the types and runs the tests.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { installFolder } from './support/install-folder.ts';
import { packTroupe } from './support/pack-troupe.ts';

const here = import.meta.dirname;
const root = join(here, '../..');
const filters = process.argv.slice(2);

/** Folders with packages of their own. */
const own = readdirSync(here).filter((name) => existsSync(join(here, name, 'package-lock.json')));

function isChosen(folder: string): boolean {
  const names = filters.filter((filter) => !filter.startsWith('-'));
  return names.length === 0 || names.some((name) => name.split('/').includes(folder));
}

/** Checks the types of all tests except those of folders that are not installed. */
function checkTypes(): boolean {
  const exclude = ['**/node_modules', ...own.filter((name) => !isChosen(name)).map((name) => `../${name}`)];
  const project = join(here, 'node_modules/tsconfig.json');
  const include = ['../**/*.ts', '../**/*.tsx'];
  writeFileSync(project, JSON.stringify({ extends: '../tsconfig.json', include, exclude }));
  return succeeds('types', ['node_modules/@typescript/native/bin/tsc', '--noEmit', '-p', project]);
}

function succeeds(what: string, args: readonly string[]): boolean {
  return timed(what, () => spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status === 0);
}

function timed<T>(what: string, work: () => T): T {
  const startedMs = performance.now();
  const result = work();
  console.log(`${what}: ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`);
  return result;
}

const packed = timed('build and pack', () => packTroupe(root));
for (const folder of [here, ...own.filter(isChosen).map((name) => join(here, name))])
  timed(`install ${relative(root, folder)}`, () => installFolder({ root, folder, packed }));

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--config', 'test/integration/vitest.config.ts'];
const results = [checkTypes(), succeeds('tests', [...vitest, ...filters])];
process.exitCode = results.every(Boolean) ? 0 : 1;
