import { randomUUID } from 'node:crypto';
import { carriers, endAll, tempDir, waitUntil } from '../support/os.ts';
import { type Ran, runProgram, STARTED_WITHIN_MS } from './program.ts';

/** A directory whose daemon, and all that is started in it, is gone at the end of the `using` block. */
export function daemonProject() {
  const folder = tempDir();
  const mark = `test_${randomUUID()}`;
  const env = { TROUPE_TEST_MARK: mark };
  const troupe = (...args: readonly string[]): Promise<Ran> => runProgram(args, { cwd: folder.path, env });
  return {
    path: folder.path,
    file: folder.file,
    env,
    troupe,
    /** The live ones, as `ps` sees them. */
    processes: async () =>
      JSON.parse((await troupe('ps', '--json')).stdout) as {
        id: string;
        label: string | null;
        pid: number;
      }[],
    /** Nothing of it runs: the daemon least of all. */
    gone: () =>
      waitUntil(() => carriers(mark).length === 0, {
        withinMs: STARTED_WITHIN_MS,
        what: 'nothing of it runs',
      }),
    async [Symbol.asyncDispose]() {
      await endAll([], mark);
      folder.remove();
    },
  };
}
