import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Builds troupe if a source has changed, packs it, and returns the path of the tarball. Its name contains the time of the build, so that
 * another build is another path.
 */
export function packTroupe(root: string): string {
  run(root, ['sh', 'src/packing/prepare']);
  const built = join(root, 'dist/built');
  const folder = join(root, 'test/integration/.packed');
  const tarball = join(folder, `troupe-${Math.round(statSync(built).mtimeMs)}.tgz`);
  if (existsSync(tarball)) return tarball;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  // Without `prepack`, which rewrites the links of README.md in place.
  run(root, ['npm', 'pack', '--silent', '--ignore-scripts', '--pack-destination', folder]);
  const [packed] = readdirSync(folder);
  if (packed === undefined) throw new Error('npm pack wrote no tarball');
  run(folder, ['mv', packed, tarball]);
  return tarball;
}

/** Runs a command and throws with all that it printed if it fails. */
export function run(cwd: string, [file, ...args]: readonly [string, ...string[]]): void {
  const { status, stdout, stderr, error } = spawnSync(file, args, { cwd, encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(`\`${[file, ...args].join(' ')}\` failed\n${stdout}${stderr}${error?.message ?? ''}`);
}
