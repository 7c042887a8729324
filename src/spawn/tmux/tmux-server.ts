import { toError } from '../../config/error-text.ts';
import { leaveCgroup } from '../cgroup/join-cgroup.ts';
import { LINEAGE, NO_ANCESTORS } from '../environment.ts';
import { type ProgramResult, runProgram } from '../start-child.ts';
import type { Starter } from '../starter/starter.ts';
import type { RunOrder } from '../starter/starter-process.ts';
import { type TmuxCommand, toTmuxText } from './quoting.ts';

/** Answer of tmux; `error` is its own message. */
export type TmuxAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: string; readonly isGone: boolean };

/** Terminal of a session. */
export interface Pane {
  /** The process that tmux started in it. */
  readonly pid: number;
  /** True if that process is dead and no other holds the terminal. */
  readonly isDead: boolean;
}

/** Server of one state directory. It starts with the first session and ends with the last. */
export interface TmuxServer {
  readonly program: string;
  readonly socket: string;
  /** Executes commands in order until one fails; starts a server where none runs. Never rejects. */
  ask(commands: readonly TmuxCommand[], options?: { readonly timeoutMs?: number }): Promise<TmuxAnswer>;
  /** Executes a few short commands, of which the first may read `input` as the file `-`. Never rejects. */
  run(input: Uint8Array, commands: readonly TmuxCommand[]): Promise<TmuxAnswer>;
  /** Finds the terminal of a session; `null` where there is none. Rejects where tmux does not say. */
  findPane(session: string): Promise<Pane | null>;
}

const startServer = 'start-server';
/** A tmux that takes longer to answer never will. */
export const answerTimeoutMs = 10_000;
/** A server ends with its last session and refuses clients at that moment; a new one starts on the next try. */
const maxTries = 5;
const serverEnded = /server exited|lost server|no server running|error connecting|connection refused/i;
const notFound = /can't find|no such (session|pane)|no server running|no current/i;

/** Creates the server of a socket. Its clients are programs, which the starter runs while this program is large. */
export function createTmuxServer({
  program,
  socket,
  starter,
}: {
  readonly program: string;
  readonly socket: string;
  readonly starter?: Starter | undefined;
}): TmuxServer {
  const base = ['-u', '-S', socket, '-f', '/dev/null'];

  async function call(
    args: readonly string[],
    input: string | Uint8Array,
    timeoutMs: number,
  ): Promise<TmuxAnswer> {
    try {
      const env = {
        PATH: process.env['PATH'] ?? systemPath,
        LC_ALL: 'C.UTF-8',
        [LINEAGE]: NO_ANCESTORS,
      };
      const command = [program, ...base, ...args] as const;
      // The server inherits the environment and the cgroup of the client that starts it: no ancestors, and none of our cgroups.
      const whole = args[0] === startServer ? leaveCgroup({ command, env }) : command;
      const order = { command: whole, env, input, timeoutMs };
      const { stdout, stderr, failed, shortMessage } = await (starter?.isUsed()
        ? starter.run(order)
        : runHere(order));
      if (!failed) return { ok: true, text: stdout };
      // tmux prints "[lost server]" on stdout.
      const said = [stderr, stdout].map((text) => text.trim()).find((text) => text !== '');
      const error = said ?? shortMessage ?? 'it said nothing';
      return { ok: false, error, isGone: notFound.test(error) };
    } catch (error) {
      return { ok: false, error: toError(error).message, isGone: false };
    }
  }

  return {
    program,
    socket,
    ask: async (commands, { timeoutMs = answerTimeoutMs } = {}) => {
      const text = toTmuxText(commands);
      for (let tries = 1; ; tries += 1) {
        const answer = await call([startServer, ';', 'source-file', '-'], text, timeoutMs);
        if (answer.ok || tries === maxTries || !serverEnded.test(answer.error)) return answer;
      }
    },
    run: (input, commands) =>
      call(
        commands.flatMap((command, index) => (index === 0 ? command : [';', ...command])),
        input,
        answerTimeoutMs,
      ),
    findPane: async (session) => {
      const format = '#{pane_pid} #{pane_dead}';
      const answer = await call(
        ['list-panes', '-t', toPaneTarget(session), '-F', format],
        '',
        answerTimeoutMs,
      );
      if (answer.ok) return parsePane(answer.text);
      if (answer.isGone || serverEnded.test(answer.error)) return null;
      throw new Error(`tmux could not report whether the session ${session} exists: ${answer.error}`);
    },
  };
}

function runHere({ command: [file, ...args], env, input, timeoutMs }: RunOrder): Promise<ProgramResult> {
  return runProgram(file, args, {
    input,
    env,
    extendEnv: false,
    cwd: '/',
    stripFinalNewline: false,
    timeout: timeoutMs,
    forceKillAfterDelay: 500,
    cleanup: false,
  });
}

const systemPath = '/usr/local/bin:/usr/bin:/bin';

/** Target that names a session exactly; without the colon tmux would accept a prefix. */
export function toPaneTarget(session: string): string {
  return `=${session}:`;
}

function parsePane(text: string): Pane | null {
  const [, pid, isDead] = /^(\d+) ([01]?)$/m.exec(text) ?? [];
  return pid === undefined ? null : { pid: Number(pid), isDead: isDead === '1' };
}
