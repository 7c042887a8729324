import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync } from 'node:fs';
import type { SpawnRequest } from '../backend.ts';
import { toCommand } from '../command-line.ts';
import { findProgram } from '../find-program.ts';
import type { InputPipe } from '../input/input-pipe.ts';
import { toLimited } from '../limits.ts';
import { startChild } from '../start-child.ts';
import { createLauncherScript } from './launcher-script.ts';
import { openForAppending } from './unusable-file.ts';

/** Programs that a launcher consists of. */
export interface LauncherTools {
  readonly shell: string;
  /** `null` without one: then the shell must have a monitor mode without a terminal, as bash has. */
  readonly setsid: string | null;
}

const systemPath = '/usr/bin:/bin';

/** Finds the tools of a launcher. Prefers dash to sh: where sh is bash, a signal cannot be told from a code for certain. */
export function findLauncherTools(): LauncherTools {
  const setsid = findProgram('setsid', { path: `${process.env['PATH'] ?? ''}:${systemPath}`, cwd: '/' });
  if (!(setsid instanceof Error)) {
    return { shell: existsSync('/bin/dash') ? '/bin/dash' : '/bin/sh', setsid };
  }
  return { shell: existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh', setsid: null };
}

/** Launcher that is ready to start. */
export interface Launch {
  readonly command: readonly [file: string, ...args: readonly string[]];
  /** Under this name every shell behaves as POSIX demands and reads no startup file. */
  readonly argv0: string;
  /** Open for appending. */
  readonly log: number;
  readonly status: number;
  /** Closes both files. Must be called. */
  close(): void;
}

/**
 * Prepares a launcher. Throws `UnusableFile` for a log or status file, and the error of `findProgram` for a command that the launcher itself
 * would only fail to start.
 */
export function prepareLaunch(
  request: SpawnRequest & { files: NonNullable<SpawnRequest['files']> },
  { tools, cgroup }: { tools: LauncherTools; cgroup: string | null },
): Launch {
  const { cwd, env, files, attempt } = request;
  const command = toCommand(request.work, 'file');
  const refusal = findProgram(command[0], { path: env['PATH'] ?? '/bin:/usr/bin', cwd });
  if (refusal instanceof Error) throw refusal;
  const limited = toLimited(command, { limits: request.limits, env, cgroup, joins: false });
  if (limited instanceof Error) throw limited;

  const script = createLauncherScript({ hasSetsid: tools.setsid !== null });
  const setsid = tools.setsid === null ? [] : [tools.setsid];
  const own = shellVariables.filter((name) => !(name in env)).join(' ');
  const args = ['-c', script, 'troupe-launcher', `${attempt}`, cwd, own, cgroup ?? '', ...setsid, ...limited];
  const log = openForAppending(files.log);
  try {
    const status = openForAppending(files.status);
    const close = () => {
      for (const descriptor of [log, status]) closeSync(descriptor);
    };
    return { command: [tools.shell, ...args], argv0: 'sh', log, status, close };
  } catch (error) {
    closeSync(log);
    throw error;
  }
}

/**
 * Starts the launcher in its own session, so that no signal to our group and no hangup of our terminal reaches it. Throws like `spawn`
 * and `prepareLaunch`.
 */
export function launch(
  request: Parameters<typeof prepareLaunch>[0],
  { stdin, ...how }: { tools: LauncherTools; stdin: InputPipe['stdio']; cgroup: string | null },
): ChildProcess {
  const { command, argv0, log, status, close } = prepareLaunch(request, how);
  const [file, ...args] = command;
  const { cwd, env } = request;
  try {
    return startChild(file, args, { argv0, cwd, env, detached: true, stdio: [stdin, log, status] });
  } finally {
    close();
  }
}

/** Variables that a shell adds to the environment of its children. */
const shellVariables = ['PWD', 'OLDPWD', 'SHLVL', '_'];
