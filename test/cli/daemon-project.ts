import { randomUUID } from 'node:crypto';
import { ensureDaemon } from '../../src/control/ensure-daemon.ts';
import { carriers, endAll, tempDir, waitUntil } from '../support/os.ts';
import { callProgram } from './call-program.ts';
import { mainFile, type Ran, runProgram, STARTED_WITHIN_MS } from './program.ts';

const MARK = 'TROUPE_TEST_MARK';

/** A directory whose daemon, and all that is started in it, is gone at the end of the `using` block. */
export function daemonProject() {
  const folder = tempDir();
  const mark = `test_${randomUUID()}`;
  const env = { [MARK]: mark };
  // A daemon that this process starts inherits the mark, and so do its processes.
  process.env[MARK] = mark;
  const troupe = (...args: readonly string[]): Promise<Ran> => runProgram(args, { cwd: folder.path, env });
  const call = (...args: readonly string[]): Promise<Ran> => callProgram(args, { cwd: folder.path, env });
  const startDaemon = async () => {
    (await ensureDaemon({ directory: folder.file('.troupe'), program: mainFile })).close();
  };
  return {
    path: folder.path,
    file: folder.file,
    env,
    /** Runs the real program. */
    troupe,
    /** Runs a verb in this process. Call `startDaemon` before a verb that needs a daemon, or the daemon runs from the sources. */
    call,
    /** Starts the daemon of the real program unless one runs. */
    startDaemon,
    /** Starts a process as `troupe start` does, in the daemon of the real program, and returns its id. */
    start: async (...args: readonly string[]) => {
      await startDaemon();
      const { stdout, stderr } = await call('start', ...args);
      if (stderr !== '') throw new Error(stderr);
      return stdout.trim();
    },
    /** The live ones, as `ps` sees them. */
    processes: async () =>
      JSON.parse((await call('ps', '--json')).stdout) as {
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
      delete process.env[MARK];
      await endAll([], mark);
      folder.remove();
    },
  };
}
