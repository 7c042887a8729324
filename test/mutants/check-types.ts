import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** A mutant that leaves an import without use is not noticed by its types. */
const lenient = [
  '--noUnusedLocals',
  'false',
  '--noUnusedParameters',
  'false',
  '--allowUnreachableCode',
  'true',
];
const page = 'src/inspector/page';

/** Returns the first error that `npm run types` reports for a tree, or `null`. Only what has changed is checked again. */
export function findTypeError(root: string, changed: string): string | null {
  const project = changed.startsWith(`${page}/`) ? join(page, 'tsconfig.json') : 'tsconfig.json';
  const incremental = [
    '--incremental',
    '--tsBuildInfoFile',
    join(root, '.vitest', `${project.length}.tsbuildinfo`),
  ];
  const compiler = 'node_modules/@typescript/native/bin/tsc';
  const args = [compiler, '--noEmit', '--pretty', 'false', '-p', project, ...lenient, ...incremental];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  return status === 0 ? null : (stdout.split('\n')[0] ?? 'an error');
}
