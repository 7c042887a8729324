import { findProgram } from '../file/find-program.ts';
import { runSync } from '../start-child.ts';
import type { Unavailable } from '../terminal/terminal-world.ts';

/** 3.3 is the first that says by which signal a command ended, and that can be told to write nothing on the screen then. */
const leastVersion = [3, 3] as const;
const longestMs = 5_000;
const remedy = 'Install tmux 3.3 or newer, or see that PATH leads to it';

/** The path of a tmux that does what is needed here, or why there is none. */
export function findTmux(path: string = process.env['PATH'] ?? '/usr/bin:/bin'): string | Unavailable {
  const program = findProgram('tmux', { path, cwd: '/' });
  if (program instanceof Error) return { why: 'tmux is not installed', remedy };
  const { stdout, error } = runSync(program, ['-V'], { timeout: longestMs });
  if (error !== undefined) return { why: `${program} cannot be run (${error.message})`, remedy };
  if (stdout.trim() === '') return { why: `${program} does not say its version`, remedy };
  return isOld(stdout) ? { why: `${stdout.trim()} is too old: 3.3 is needed`, remedy } : program;
}

/** `tmux 3.3a`, `tmux next-3.6`; whoever says something else, as `tmux master`, is believed to be new. */
function isOld(said: string): boolean {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(said) ?? [];
  if (major === undefined) return false;
  const [leastMajor, leastMinor] = leastVersion;
  return Number(major) < leastMajor || (Number(major) === leastMajor && Number(minor) < leastMinor);
}
