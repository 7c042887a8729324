import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A copy of the repository in which files are mutated; packages are those of the repository. */
export interface TreeCopy {
  readonly root: string;
  /** The temp directory for everything that runs in the copy. */
  readonly temp: string;
  readonly home: string;
  write(file: string, text: string): void;
  /** Restores the content of the file from before the first write. */
  restore(file: string): void;
  remove(): void;
}

export function copyTree(repository: string): TreeCopy {
  // Short names: the paths of sockets in the temp directory may have 107 bytes.
  const folder = mkdtempSync(join(tmpdir(), 'tm-'));
  const root = join(folder, 'tree');
  const temp = join(folder, 't');
  const home = join(folder, 'home');
  for (const path of [root, temp, home]) mkdirSync(path);
  for (const file of listFiles(repository)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(join(repository, file), join(root, file), { verbatimSymlinks: true });
  }
  symlinkSync(join(repository, 'node_modules'), join(root, 'node_modules'));
  const originals = new Map<string, string>();
  return {
    root,
    temp,
    home,
    write(file, text) {
      originals.set(file, originals.get(file) ?? readFileSync(join(root, file), 'utf8'));
      writeFileSync(join(root, file), text);
    },
    restore(file) {
      const original = originals.get(file);
      if (original !== undefined) writeFileSync(join(root, file), original);
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Files that git knows or would add. */
function listFiles(repository: string): readonly string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z'];
  const { stdout } = spawnSync('git', args, { cwd: repository, encoding: 'utf8', maxBuffer: 2 ** 26 });
  return stdout.split('\0').filter((file) => file !== '' && existsSync(join(repository, file)));
}
