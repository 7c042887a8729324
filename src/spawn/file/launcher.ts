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

/**
 * Starts the launcher in its own session, so that no signal to our group and no hangup of our terminal reaches it. Throws like
 * `spawn`, `UnusableFile` for a log or status file, and the error of `findProgram` for a command that the launcher itself would
 * only fail to start.
 */
export function launch(
  request: SpawnRequest & { files: NonNullable<SpawnRequest['files']> },
  { tools, stdin, cgroup }: { tools: LauncherTools; stdin: InputPipe['stdio']; cgroup: string | null },
): ChildProcess {
  const { cwd, env, files, attempt } = request;
  const command = toCommand(request.work, 'file');
  const refusal = findProgram(command[0], { path: env['PATH'] ?? '/bin:/usr/bin', cwd });
  if (refusal instanceof Error) throw refusal;
  const limited = toLimited(command, { limits: request.limits, env, cgroup, joins: false });
  if (limited instanceof Error) throw limited;

  const descriptors: number[] = [];
  try {
    for (const path of [files.log, files.status]) descriptors.push(openForAppending(path));
    const [log, status] = descriptors;
    const script = createLauncherScript({ hasSetsid: tools.setsid !== null });
    const setsid = tools.setsid === null ? [] : [tools.setsid];
    const own = shellVariables.filter((name) => !(name in env)).join(' ');
    return startChild(
      tools.shell,
      ['-c', script, 'troupe-launcher', `${attempt}`, cwd, own, cgroup ?? '', ...setsid, ...limited],
      {
        // Under this name every shell behaves as POSIX demands and reads no startup file.
        argv0: 'sh',
        cwd,
        env,
        detached: true,
        stdio: [stdin, log, status],
      },
    );
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}

/** Variables that a shell adds to the environment of its children. */
const shellVariables = ['PWD', 'OLDPWD', 'SHLVL', '_'];
