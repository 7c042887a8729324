import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { spawn } from '@lydell/node-pty';
import { createSupervisor } from '../src/index.ts';
import { type Answer, print } from './answer.ts';
import { alternate, formatNumber, formatSpread, timeMs } from './rounds.ts';

const run = promisify(execFile);

/** From the start of `true` to the news of its exit. */
export async function answerTerminals(): Promise<Answer> {
  const directory = mkdtempSync(join(tmpdir(), 'troupe-bench-'));
  const socket = join(directory, 'raw.sock');
  const tmux = (...args: readonly string[]) => run('tmux', ['-S', socket, '-f', '/dev/null', ...args]);
  // A server that is there already, as ours is from the second process on.
  await tmux('new-session', '-d', '-s', 'stays', 'sleep 600');
  const open = (terminal: 'pty' | 'tmux') =>
    createSupervisor({ stateDirectory: join(directory, terminal), terminal, control: false });
  const [pty, inTmux] = [open('pty'), open('tmux')];
  const start = (supervisor: typeof pty) => async () =>
    void (await supervisor.start({ command: ['true'], interactive: true, background: true }).ended);
  const stays = inTmux.start({ command: ['sleep', '600'], interactive: true, background: true });
  let count = 0;

  const findings = await alternate(
    [
      {
        name: '@lydell/node-pty',
        run: () =>
          timeMs(async () => {
            const child = spawn('true', [], { cols: 80, rows: 24 });
            await new Promise((resolve) => child.onExit(resolve));
          }),
      },
      { name: 'interactive, in a pty', run: () => timeMs(start(pty)) },
      {
        name: 'tmux new-session, wait-for',
        run: () =>
          timeMs(async () => {
            count += 1;
            const channel = `ended-${count}`;
            await tmux('new-session', '-d', '-s', channel, `true; tmux -S ${socket} wait-for -S ${channel}`);
            await tmux('wait-for', channel);
          }),
      },
      { name: 'interactive, in tmux', run: () => timeMs(start(inTmux)) },
    ],
    { rounds: 40, warmUps: 10 },
  );
  await stays.kill();
  await Promise.all([pty.shutdown(), inTmux.shutdown()]);
  await tmux('kill-server').catch(() => {});
  rmSync(directory, { recursive: true });
  return {
    question: 'What does a terminal cost?',
    measured:
      'From the start of `true` in a terminal to the news that it has ended. For ours that includes the exit code, all of its output, and its last screen on disk; ratios are to the first row.',
    columns: ['with', 'ms per process', 'to raw'],
    rows: findings.map((finding) => ({
      cells: [finding.name, formatSpread(finding), `${formatNumber(finding.ratio)} ×`],
    })),
  };
}

if (import.meta.main) print(await answerTerminals());
