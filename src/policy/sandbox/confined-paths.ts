import { existsSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { findInstalled } from '../../config/installed-package.ts';
import { isInside } from '../workspace/real-path.ts';

/** Folders with files of people, and of what runs on the machine for others. */
const CLOSED = [
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

/** Files below the home directory that tools need and that hold no secret. */
const READABLE_AT_HOME = [
  '.gitconfig',
  '.config/git/config',
  '.config/git/ignore',
  '.cache',
  '.npm/_cacache',
];

/** Paths in a workspace that programs run or obey by themselves. */
const OBEYED = [
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

/** Returns the folders whose files commands in a sandbox may not read, unless they are named as readable. */
export function findClosed(): readonly string[] {
  const home = homedir();
  const closed = CLOSED.filter((folder) => existsSync(folder));
  return closed.some((folder) => isInside(home, folder)) ? closed : [...closed, home];
}

/**
 * Returns what commands need to read in closed folders: the programs of `PATH` with the files beside them, this Node, the sandbox itself,
 * and the configuration of git.
 */
export function findReadable(path = process.env['PATH'] ?? ''): readonly string[] {
  const home = homedir();
  const programs = [...path.split(delimiter).filter((folder) => folder !== ''), dirname(process.execPath)];
  const prefixes = programs.map((folder) => {
    const absolute = resolve(folder);
    // Programs of a prefix need its libraries; those directly below the home directory are on their own.
    const prefix = dirname(absolute);
    return isInside(home, prefix) ? absolute : prefix;
  });
  const inClosed = (found: string) => findClosed().some((folder) => isInside(found, folder));
  const files = READABLE_AT_HOME.map((name) => join(home, name)).filter((file) => existsSync(file));
  return [...new Set([...[...prefixes, ...findRuntime()].filter(inClosed), ...files])];
}

/** Returns the folder of the sandbox runtime, whose helper runs inside. */
function findRuntime(): readonly string[] {
  try {
    return [dirname(dirname(findInstalled('@anthropic-ai/sandbox-runtime')))];
  } catch {
    return [];
  }
}

/** Returns the paths in a writable folder that stay as they are: hooks, settings, and definitions of agents. */
export function findProtected(folder: string): readonly string[] {
  const obeyed = OBEYED.map((name) => join(folder, name));
  // Of a repository its hooks also while there are none.
  const isRepository = isDirectory(join(folder, '.git'));
  return [
    ...obeyed.filter((path) => existsSync(path) || (isRepository && path.endsWith('.git/hooks'))),
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
