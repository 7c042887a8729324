import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '../find-program.ts';
import { runSync } from '../start-child.ts';
import type { Unavailable } from '../terminal/terminal-deps.ts';

/** Oldest usable version: 3.3 is the first that reports the signal of an exit and can be told to write nothing on the screen then. */
const minVersion = [3, 3] as const;
const versionTimeoutMs = 5_000;
const remedy = 'Install tmux 3.3 or newer, or put it on the PATH';

/** Finds a usable tmux, or the reason why there is none. */
export function findTmux(path: string = process.env['PATH'] ?? '/usr/bin:/bin'): string | Unavailable {
  const program = findProgram('tmux', { path, cwd: '/' });
  if (program instanceof Error) return { why: 'tmux is not installed', remedy };
  const { stdout, error } = runSync(program, ['-V'], { timeout: versionTimeoutMs });
  if (error !== undefined) return { why: `${program} cannot be run (${error.message})`, remedy };
  if (stdout.trim() === '') return { why: `${program} does not report its version`, remedy };
  return isOld(stdout) ? { why: `${stdout.trim()} is too old: 3.3 is needed`, remedy } : program;
}

/** Tells whether a version is too old: `tmux 3.3a`, `tmux next-3.6`. Other forms, such as `tmux master`, count as new. */
function isOld(said: string): boolean {
  const [, major, minor] = /(\d+)\.(\d+)/.exec(said) ?? [];
  if (major === undefined) return false;
  const [minMajor, minMinor] = minVersion;
  return Number(major) < minMajor || (Number(major) === minMajor && Number(minor) < minMinor);
}

/** Terminal types of tmux; the last one exists everywhere. */
const names = ['tmux-256color', 'screen-256color', 'screen'] as const;

/** Returns the best terminal type that this machine has a description for. */
export function findTerminalType(env: NodeJS.ProcessEnv = process.env): string {
  const { TERMINFO, HOME, TERMINFO_DIRS = '' } = env;
  const places = [
    ...(TERMINFO === undefined ? [] : [TERMINFO]),
    ...(HOME === undefined ? [] : [join(HOME, '.terminfo')]),
    ...TERMINFO_DIRS.split(':').filter((place) => place !== ''),
    ...systemPlaces,
  ];
  return names.find((name) => places.some((place) => describes(place, name))) ?? 'screen';
}

const systemPlaces = ['/etc/terminfo', '/lib/terminfo', '/usr/share/terminfo', '/usr/share/lib/terminfo'];

/** Tells whether a terminfo directory describes a type: under its first letter or, where names ignore case as on macOS, under its code. */
function describes(place: string, name: string): boolean {
  const [letter = ''] = name;
  return [letter, letter.charCodeAt(0).toString(16)].some((folder) => existsSync(join(place, folder, name)));
}
