import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { run } from './pack-troupe.ts';

export interface FolderInstall {
  /** The repository. */
  readonly root: string;
  /** Has a package.json and a package-lock.json. */
  readonly folder: string;
  /** The tarball of troupe. */
  readonly packed: string;
}

/**
 * Installs the packages of a folder if its lock file has changed since the last time, and troupe if it was packed again. No script of a
 * package runs. The program of the same name in examples/frameworks becomes `example.ts` in the folder, where its imports resolve.
 */
export function installFolder({ root, folder, packed }: FolderInstall): void {
  const modules = join(folder, 'node_modules');
  const stamp = join(modules, '.troupe-installed');
  const lock = createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
  const before: Partial<Stamp> = existsSync(stamp) ? JSON.parse(readFileSync(stamp, 'utf8')) : {};
  if (before.lock !== lock)
    run(folder, ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline']);
  if (before.lock !== lock || before.packed !== packed) extractTroupe({ root, modules, packed });
  writeFileSync(stamp, JSON.stringify({ lock, packed } satisfies Stamp));
  copyExample({ root, folder });
}

/** What a folder contains; `npm ci` removes it. */
interface Stamp {
  /** Hash of the lock file. */
  readonly lock: string;
  readonly packed: string;
}

interface Extraction {
  readonly root: string;
  readonly modules: string;
  readonly packed: string;
}

/**
 * Puts the packed package into `node_modules/troupe`, with its own dependencies at the versions of the repository's lock file. Its peers
 * come from the folder, as in a user's project.
 */
function extractTroupe({ root, modules, packed }: Extraction): void {
  const target = join(modules, 'troupe');
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  run(target, ['tar', '-xzf', packed, '--strip-components=1']);
  const { dependencies, optionalDependencies } = JSON.parse(
    readFileSync(join(target, 'package.json'), 'utf8'),
  ) as Record<string, Record<string, string>>;
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const link = join(target, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'node_modules', name), link);
  }
}

function copyExample({ root, folder }: { readonly root: string; readonly folder: string }): void {
  for (const ending of ['.ts', '.tsx']) {
    const example = join(root, 'examples/frameworks', `${basename(folder)}${ending}`);
    if (existsSync(example)) copyFileSync(example, join(folder, `example${ending}`));
  }
}
