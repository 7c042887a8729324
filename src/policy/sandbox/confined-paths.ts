import { existsSync, readdirSync, statSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';
import { findInstalled } from '../../config/installed-package.ts';
import { homeDirectory } from '../home-directory.ts';
import { isInside } from '../workspace/real-path.ts';

/** Folders with files of users, of services and of other programs. */
const CLOSED = [
  ...(process.platform === 'linux' ? ['/tmp', '/var/tmp'] : []),
  '/home',
  '/root',
  '/Users',
  '/srv',
  '/mnt',
  '/media',
  '/var/lib',
  '/var/log',
  '/var/mail',
  '/var/spool',
];

/** Files below the home directory that tools need and that contain no secrets. */
const READABLE_AT_HOME = [
  '.gitconfig',
  '.config/git/config',
  '.config/git/ignore',
  '.cache',
  '.npm/_cacache',
];

/** Files and folders of a workspace that programs run or apply automatically. */
const AUTOMATIC = [
  '.git/hooks',
  '.git/config',
  '.gitmodules',
  '.husky',
  '.mcp.json',
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.claude/agents',
  '.claude/commands',
  '.vscode',
  '.idea',
  '.envrc',
  '.troupe',
];

/** Returns the folders that commands in a sandbox may not read, apart from explicitly readable paths. */
export function findClosed(): readonly string[] {
  const home = homeDirectory();
  const closed = CLOSED.filter((folder) => existsSync(folder));
  return home === '/' || closed.some((folder) => isInside(home, folder)) ? closed : [...closed, home];
}

/**
 * Returns the paths in closed folders that commands must read: the programs of `PATH` with their libraries, this Node, the sandbox runtime,
 * and the configuration of git.
 */
export function findReadable(closed: readonly string[]): readonly string[] {
  const home = homeDirectory();
  const path = process.env['PATH'] ?? '';
  const programs = [...path.split(delimiter).filter((folder) => folder !== ''), dirname(process.execPath)];
  const prefixes = programs.map((folder) => {
    const absolute = resolve(folder);
    // Programs need the libraries of their prefix. The home directory itself is not a prefix.
    const prefix = dirname(absolute);
    return isInside(home, prefix) ? absolute : prefix;
  });
  const inClosed = (found: string) => closed.some((folder) => isInside(found, folder));
  const files = READABLE_AT_HOME.map((name) => join(home, name)).filter((file) => existsSync(file));
  return [...new Set([...[...prefixes, ...findRuntime()].filter(inClosed), ...files])];
}

/** Returns the folder of the sandbox runtime: its seccomp program runs inside the sandbox. */
function findRuntime(): readonly string[] {
  try {
    return [dirname(dirname(findInstalled('@anthropic-ai/sandbox-runtime')))];
  } catch {
    return [];
  }
}

/** Returns the paths in a writable folder that stay read-only: hooks, settings and agent files. */
export function findProtected(folder: string): readonly string[] {
  const automatic = AUTOMATIC.map((name) => join(folder, name));
  // In a repository the hooks are protected even before the folder exists.
  const isRepository = isDirectory(join(folder, '.git'));
  return [
    ...automatic.filter((path) => existsSync(path) || (isRepository && path.endsWith('.git/hooks'))),
    ...findAgentFiles(join(folder, 'agents')),
  ];
}

function findAgentFiles(folder: string): readonly string[] {
  if (!isDirectory(folder)) return [];
  return readdirSync(folder)
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => join(folder, name));
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
