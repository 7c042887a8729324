import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { spawn } from '@lydell/node-pty';
import { createSupervisor } from '../src/index.ts';
import { type Answer, print, type Row } from './answer.ts';
import { alternate, formatNumber, formatSpread, timeMs } from './rounds.ts';

const run = promisify(execFile);

const IN_PTY = 'interactive, in a pty';
const IN_TMUX = 'interactive, in tmux';

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
      { name: IN_PTY, run: () => timeMs(start(pty)) },
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
      { name: IN_TMUX, run: () => timeMs(start(inTmux)) },
    ],
    { rounds: 40, warmUps: 10 },
  );
  await stays.kill();
  await Promise.all([pty.shutdown(), inTmux.shutdown()]);
  await tmux('kill-server').catch(() => {});
  rmSync(directory, { recursive: true });
  const [, , rawTmux] = findings;
  const goals: Readonly<Record<string, Row['goal']>> = Object.fromEntries(
    findings.flatMap(({ name, median, ratio }) => {
      if (name === IN_PTY) return [[name, { text: '≤ 1.5 × node-pty', isMet: ratio <= 1.5 }]];
      if (name !== IN_TMUX || rawTmux === undefined) return [];
      return [[name, { text: '≤ 2 × tmux', isMet: median <= 2 * rawTmux.median }]];
    }),
  );
  return {
    question: 'What does a terminal cost?',
    measured:
      'From the start of `true` in a terminal to the news that it has ended. For ours that includes the exit code, all of its output, and its last screen on disk; ratios are to the first row.',
    columns: ['with', 'ms per process', 'to raw'],
    rows: findings.map((finding) => {
      const goal = goals[finding.name];
      const cells = [finding.name, formatSpread(finding), `${formatNumber(finding.ratio)} ×`];
      return {
        cells,
        ...(goal && { goal }),
        ...(goal?.isMet === false && { note: notes[finding.name] ?? '' }),
      };
    }),
  };
}

const notes: Readonly<Record<string, string>> = {
  [IN_PTY]:
    'A terminal beside others is opened first, and the command gets it from setsid(1), so that no child inherits the master of another terminal.',
  [IN_TMUX]:
    'Two more clients of tmux run: one that reports the exit, and one that proves that all output was written and takes the last screen.',
};

if (import.meta.main) print(await answerTerminals());
