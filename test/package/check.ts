/**
 * Builds, packs and installs the package as a user would, and runs it: `npm run check:package`. Exits with 1 and a
 * sentence when something is wrong with it.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDoors } from '../../src/packing/doors.ts';
import { checkDeclarations, checkTypes } from './check-types.ts';
import { smokeProgram } from './smoke.ts';

const root = join(import.meta.dirname, '../..');
/** What may be loaded by `import 'troupe'`, beside its own files. */
const paidByEverybody = ['xstate', 'rxjs', 'nanoid', 'picomatch'];
/** Everything but the parts of the library that the main door is made of. */
const behindTheDoor =
  /\/dist\/(?!library\/)|\/dist\/library\/(mcp|testing|serve-http|http-\w+|control-server|judge-start)\.js$/;
/** Files that `import 'troupe'` may load: Node takes a third of a millisecond for each. There are 62. */
const MOST_FILES = 62;

export interface Step {
  readonly title: string;
  readonly command: readonly [string, ...string[]];
  readonly cwd: string;
}

/** The output of a command that succeeded. A failure ends the check with all that was printed. */
function run({ title, command, cwd }: Step): string {
  const [file, ...args] = command;
  const { status, stdout, stderr, error } = spawnSync(file, args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  if (status === 0) {
    console.log(`ok    ${title}`);
    return stdout;
  }
  throw new Error(`${title}: \`${command.join(' ')}\` failed\n${stdout}${stderr}${error?.message ?? ''}`);
}

function checkPackage(folder: string): void {
  // As in a fresh clone: a package without it would be packed as well.
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  run({ title: 'it builds and packs', command: ['npm', 'pack', '--pack-destination', folder], cwd: root });
  const tarball = readdirSync(folder).find((name) => name.endsWith('.tgz'));
  if (tarball === undefined) throw new Error('npm pack wrote no tarball');
  const path = join(folder, tarball);

  run({ title: 'publint agrees', command: ['npx', 'publint', 'run', path, '--strict'], cwd: root });
  const types = ['npx', 'attw', path, '--profile', 'esm-only', '--no-emoji'] as const;
  run({ title: 'its types resolve', command: types, cwd: root });

  const project = join(folder, 'project');
  mkdirSync(project);
  writeFileSync(join(project, 'package.json'), '{ "name": "smoke", "private": true, "type": "module" }\n');
  writeFileSync(join(project, 'smoke.mjs'), smokeProgram);
  const install = ['npm', 'install', path, '--prefer-offline', '--ignore-scripts'] as const;
  run({ title: 'it installs', command: install, cwd: project });
  checkScripts(join(project, 'node_modules/troupe/package.json'));

  const smoke = [process.execPath, 'smoke.mjs'] as const;
  const loaded = run({ title: 'it runs', command: smoke, cwd: project }).trim().split('\n');
  const optional = new Set(loaded.map(toOptionalPart).filter((part) => part !== null));
  if (optional.size > 0) throw new Error(`import 'troupe' loads optional parts: ${[...optional].join(', ')}`);
  if (loaded.length > MOST_FILES)
    throw new Error(`import 'troupe' loads ${loaded.length} files, more than ${MOST_FILES}`);
  console.log(`ok    import 'troupe' loads ${loaded.length} files, at most ${MOST_FILES}`);
  checkDoors(project);
  checkDeclarations(join(project, 'node_modules/troupe'));
  checkProgram(project);
  checkTypes(path, { folder, run });
}

/** Imports each door in a program of its own: parts that need each other may load in one order only. A door may lack its optional package. */
function checkDoors(project: string): void {
  for (const door of Object.keys(readDoors())) {
    const name = door === 'index' ? 'troupe' : `troupe/${door}`;
    const code = `await import('${name}').catch((error) => { if (!/^Cannot find package/.test(error.message)) throw error; });`;
    const command = [process.execPath, '--input-type=module', '--eval', code] as const;
    run({ title: `import '${name}' works alone`, command, cwd: project });
  }
}

/** npm warns at an install of scripts that it might run. */
function checkScripts(file: string): void {
  const { scripts } = JSON.parse(readFileSync(file, 'utf8'));
  const warned = ['preinstall', 'install', 'postinstall', 'prepare'].filter((name) => name in scripts);
  if (warned.length > 0) throw new Error(`npm would warn of these scripts: ${warned.join(', ')}`);
  console.log('ok    it has no script that npm would run at an install');
}

/** What a user would type in that project; a command is judged on the way, so that the shell's grammar must be there. */
function checkProgram(project: string): void {
  const troupe = (...args: readonly string[]) =>
    run({ title: `troupe ${args[0]} works`, command: ['npx', 'troupe', ...args], cwd: project });
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  if (!troupe('--version').includes(version)) throw new Error('troupe --version prints another version');
  troupe('init', '.');
  const said = troupe('exec', 'assistant', '--task', 'run echo $((40 + 2))', '--policy.mode=auto');
  if (!said.includes('42')) throw new Error(`troupe exec printed ${said}`);
}

/** Which optional package, or file of ours, a loaded file belongs to; `null` where it is paid by everybody. */
function toOptionalPart(url: string): string | null {
  const [, ...packages] = url.split('/node_modules/');
  const path = packages.at(-1);
  if (path === undefined) return null;
  const name = path
    .split('/')
    .slice(0, path.startsWith('@') ? 2 : 1)
    .join('/');
  if (name === 'troupe') return behindTheDoor.test(url) ? path : null;
  return paidByEverybody.includes(name) ? null : name;
}

const folder = mkdtempSync(join(tmpdir(), 'troupe-package-'));
try {
  checkPackage(folder);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
