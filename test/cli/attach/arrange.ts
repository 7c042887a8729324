import { createReachableSupervisor } from '../../../src/control/reachable-supervisor.ts';
import { untilListening } from '../../control/arrange.ts';
import { waitUntil } from '../../support/os.ts';
import { mainFile, projectDir, runProgram } from '../program.ts';
import { openTerminal } from '../tmux.ts';

/** A supervisor of this program with a process in a terminal, and persons who sit down at it with the real program. */
export async function openAttachStage(
  command: string,
  { terminal = 'pty' }: { readonly terminal?: 'pty' | 'tmux' } = {},
) {
  const project = projectDir();
  const supervisor = createReachableSupervisor({
    cwd: project.path,
    stateDirectory: '.troupe',
    shutdownGrace: 500,
    terminal,
    handleSignals: false,
  });
  const handle = supervisor.start({ command, label: 'it', background: true, interactive: true });
  await untilListening(project.file('.troupe'), supervisor.id);
  return {
    project,
    supervisor,
    handle,
    troupe: (...args: readonly string[]) =>
      runProgram(args, { cwd: project.path, env: { ...project.env, PW: 'hunter-2-hunter' } }),
    /** Runs troupe in a terminal of its own. Its settings go to the files `before` and `after`. */
    attach: (args: string, { columns = 70, rows = 20 }: { columns?: number; rows?: number } = {}) => {
      const line = `sh -c 'echo $$ > pid; exec "$0" "$@"' '${process.execPath}' '${mainFile}' ${args}`;
      const told = `stty -a > '${project.file('before')}'; ${line}; code=$?; stty -a > '${project.file('after')}'; (exit $code)`;
      return openTerminal({ command: told, cwd: project.path, columns, rows });
    },
    /** The process shows this. */
    shows: (wanted: string) =>
      waitUntil(
        async () => {
          const answer = await handle.capture();
          return answer.ok && answer.screen.lines.join('\n').includes(wanted);
        },
        { what: `the process shows ${wanted}` },
      ),
    size: async () => {
      const answer = await handle.capture();
      return answer.ok ? `${answer.screen.columns}x${answer.screen.rows}` : answer.error;
    },
    async [Symbol.asyncDispose]() {
      await handle.kill({ signal: 'SIGKILL' });
      await supervisor.shutdown();
      await project[Symbol.asyncDispose]();
    },
  };
}
