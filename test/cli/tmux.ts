import { execFile, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { isAlive, tempDir, waitUntil } from '../support/os.ts';
import { cleanEnvironment } from './program.ts';

const run = promisify(execFile);

/** Whether terminals can be had here. Installs tmux where it is missing and that is possible; says aloud where it is not. */
export function ensureTmux(): boolean {
  const works = () => spawnSync('tmux', ['-V']).status === 0;
  if (works()) return true;
  spawnSync('apt-get', ['install', '--yes', '--no-install-recommends', 'tmux'], { timeout: 120_000 });
  if (works()) return true;
  console.warn('SKIPPED: tmux is missing and could not be installed; nothing is known of real terminals.');
  return false;
}

export interface TerminalOptions {
  /** One line for a shell. */
  readonly command: string;
  readonly cwd: string;
  readonly columns: number;
  readonly rows?: number;
}

/** A real terminal with a program in it, in a server of its own that ends with the `using` block. */
export async function openTerminal({ command, cwd, columns, rows = 50 }: TerminalOptions) {
  const folder = tempDir();
  const environment = { ...cleanEnvironment(), TMUX_TMPDIR: folder.path };
  const socket = `troupe-${randomUUID()}`;
  const tmux = async (...args: readonly string[]) =>
    (await run('tmux', ['-L', socket, '-f', '/dev/null', ...args], { cwd, env: environment })).stdout;
  const size = ['-x', String(columns), '-y', String(rows)];
  // The shell stays: what was on the screen and the exit code can be read after the end.
  await tmux('new-session', '-d', '-s', 'chat', ...size, `${command}; echo "exit code $?"; exec cat`);

  /** What stands on the screen, without empty rows at its end. */
  const screen = async () => (await tmux('capture-pane', '-p', '-t', 'chat')).trimEnd();
  return {
    screen,
    /** The screen, and what was scrolled out of it. */
    history: () => tmux('capture-pane', '-p', '-S', '-', '-t', 'chat'),
    colours: () => tmux('capture-pane', '-p', '-e', '-t', 'chat'),
    /** Returns whether cursor keys are the application's, the mouse is reported, the cursor shows, and the alternate screen is on. */
    modes: async () =>
      (
        await tmux(
          ...['display-message', '-p', '-t', 'chat'],
          '#{keypad_cursor_flag} #{mouse_any_flag} #{cursor_flag} #{alternate_on}',
        )
      ).trim(),
    /** Types a line and enters it. */
    enter: async (line: string) => {
      await tmux('send-keys', '-t', 'chat', '-l', line);
      await tmux('send-keys', '-t', 'chat', 'Enter');
    },
    type: (text: string) => tmux('send-keys', '-t', 'chat', '-l', text),
    /** Names as tmux knows them: `C-c`, `Enter`. */
    press: (...keys: readonly string[]) => tmux('send-keys', '-t', 'chat', ...keys),
    paste: async (text: string) => {
      await tmux('set-buffer', text);
      await tmux('paste-buffer', '-t', 'chat');
    },
    /** Writes every byte that the terminal gets from now on to this file. */
    record: (file: string) => tmux('pipe-pane', '-t', 'chat', `cat > '${file}'`),
    resize: (width: number) => tmux('resize-window', '-t', 'chat', '-x', String(width)),
    /** Hangs the terminal up: its program gets SIGHUP and can write no more. */
    closeWindow: async () => {
      await tmux('new-session', '-d', '-s', 'other', 'exec cat');
      await tmux('kill-session', '-t', 'chat');
    },
    /** Resolves with the screen once it shows this. */
    shows: async (wanted: string | RegExp) => {
      let last = '';
      const isShown = async () => {
        last = await screen();
        return typeof wanted === 'string' ? last.includes(wanted) : wanted.test(last);
      };
      await waitUntil(isShown, { withinMs: 30_000, what: 'the screen shows it' }).catch(() => {
        throw new Error(`not on the screen: ${wanted}\n${last}`);
      });
      return last;
    },
    async [Symbol.asyncDispose]() {
      const pid = Number(await tmux('display-message', '-p', '#{pid}'));
      await tmux('kill-server').catch(() => {});
      await waitUntil(() => !isAlive(pid));
      folder.remove();
    },
  };
}
