import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { compilePattern } from '../rules/compile-pattern.ts';
import type { SimpleCommand } from '../shell/simple-command.ts';
import { isInside, toRealPath } from './real-path.ts';

/** Programs that walk a directory and follow the links in it, or copy them as links. */
const walkers = [
  'grep|egrep|fgrep -R|--dereference-recursive',
  'rg|fd|fdfind|ag -L|--follow',
  'find|gfind -L|-follow',
  'ls|du|chown|chmod -L',
  'tree -l',
  'cp -a|-r|-R|-L|--archive|--recursive',
  'rsync -a|-r|-L|--archive|--copy-links',
  'tar -h|--dereference',
  'zip -r',
  'diff -r|--recursive',
].map(compilePattern);

const MAX_ENTRIES = 5_000;

/**
 * Finds a link that leads out of `roots` below the directories that a command walks. Returns its path, `''` where there
 * are too many entries to tell, and `null` where there is none.
 */
export async function findOutwardLink(
  command: SimpleCommand,
  {
    operands,
    cwd,
    roots,
  }: { readonly operands: readonly string[]; readonly cwd: string; readonly roots: readonly string[] },
): Promise<string | null> {
  if (!walkers.some((pattern) => pattern.matches(command, { workspace: '/', extraPaths: [] }))) return null;
  const folders = [];
  for (const path of operands) if (await isDirectory(path)) folders.push(path);
  const waiting = folders.length === 0 ? [cwd] : folders;
  let count = 0;
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = join(folder, entry.name);
      if (++count > MAX_ENTRIES) return '';
      if (entry.isDirectory() && entry.name !== 'node_modules' && entry.name !== '.git') waiting.push(path);
      if (!entry.isSymbolicLink()) continue;
      const real = await toRealPath(path).catch(() => null);
      if (real !== null && !roots.some((root) => isInside(real, root))) return path;
    }
  }
  return null;
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}
