import { toError } from '../../config/error-text.ts';
import { runProgram } from '../start-child.ts';
import { type TmuxCommand, toTmuxText } from './tmux-text.ts';

/** What tmux answers; what it could not do is told in its own words. */
export type TmuxAnswer =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly error: string; readonly isGone: boolean };

/** A terminal as the server knows it. */
export interface Pane {
  /** Whom it has started there. */
  readonly pid: number;
  /** That one is dead, and nobody else holds the terminal. */
  readonly isDead: boolean;
}

/** The tmux server of one state directory. It starts with the first session and ends with the last. */
export interface TmuxServer {
  readonly program: string;
  readonly socket: string;
  /** Carries them out in this order until one fails. Where no server runs, one is started. Never rejects. */
  ask(commands: readonly TmuxCommand[], options?: { readonly longestMs?: number }): Promise<TmuxAnswer>;
  /** The same for few short ones, of which the first may read `input` as the file `-`. */
  give(input: Uint8Array, commands: readonly TmuxCommand[]): Promise<TmuxAnswer>;
  /** `null` where there is no session of that name. Rejects where that cannot be found out. */
  findPane(session: string): Promise<Pane | null>;
}

/** A tmux that does not answer for so long never will. */
const patienceMs = 10_000;
/** A server ends with its last session: who comes just then is sent away, and is welcome a moment later. */
const mostTries = 5;
const wentAway = /server exited|lost server|no server running|error connecting|connection refused/i;
const isNotThere = /can't find|no such (session|pane)|no server running|no current/i;

export function createTmuxServer({ program, socket }: { program: string; socket: string }): TmuxServer {
  const base = ['-u', '-S', socket, '-f', '/dev/null'];

  async function call(
    args: readonly string[],
    input: string | Uint8Array,
    longestMs: number,
  ): Promise<TmuxAnswer> {
    try {
      const { stdout, stderr, failed, shortMessage } = await runProgram(program, [...base, ...args], {
        input,
        // The server has what its first client has: nothing of ours, and nobody's mark.
        env: { PATH: process.env['PATH'] ?? systemPath, LC_ALL: 'C.UTF-8' },
        extendEnv: false,
        cwd: '/',
        stripFinalNewline: false,
        timeout: longestMs,
        forceKillAfterDelay: 500,
        cleanup: false,
      });
      if (!failed) return { ok: true, text: stdout };
      // "[lost server]" it says on stdout.
      const said = [stderr, stdout].map((text) => text.trim()).find((text) => text !== '');
      const error = said ?? shortMessage ?? 'it said nothing';
      return { ok: false, error, isGone: isNotThere.test(error) };
    } catch (error) {
      return { ok: false, error: toError(error).message, isGone: false };
    }
  }

  return {
    program,
    socket,
    ask: async (commands, { longestMs = patienceMs } = {}) => {
      const text = toTmuxText(commands);
      for (let tries = 1; ; tries += 1) {
        const answer = await call(['start-server', ';', 'source-file', '-'], text, longestMs);
        if (answer.ok || tries === mostTries || !wentAway.test(answer.error)) return answer;
      }
    },
    give: (input, commands) =>
      call(
        commands.flatMap((command, index) => (index === 0 ? command : [';', ...command])),
        input,
        patienceMs,
      ),
    findPane: async (session) => {
      const format = '#{pane_pid} #{pane_dead}';
      const answer = await call(['list-panes', '-t', toPaneTarget(session), '-F', format], '', patienceMs);
      if (answer.ok) return parsePane(answer.text);
      if (answer.isGone || wentAway.test(answer.error)) return null;
      throw new Error(`tmux could not say whether ${session} is there: ${answer.error}`);
    },
  };
}

const systemPath = '/usr/local/bin:/usr/bin:/bin';

/** By its exact name; without the colon tmux would take it for the beginning of one. */
export function toPaneTarget(session: string): string {
  return `=${session}:`;
}

function parsePane(text: string): Pane | null {
  const [, pid, isDead] = /^(\d+) ([01]?)$/m.exec(text) ?? [];
  return pid === undefined ? null : { pid: Number(pid), isDead: isDead === '1' };
}
