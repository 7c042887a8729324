import type { ChildProcess } from 'node:child_process';
import { closeSync, existsSync } from 'node:fs';
import type { SpawnRequest } from '../backend.ts';
import { toCommand } from '../command-line.ts';
import { findProgram } from '../find-program.ts';
import type { InputPipe } from '../input/input-pipe.ts';
import { startChild } from '../start-child.ts';
import { createLauncherScript } from './launcher-script.ts';
import { openForAppending } from './unusable-file.ts';

/** The programs that a launcher is made of. */
export interface LauncherTools {
  readonly shell: string;
  /** `null` where there is none: then the shell must have a monitor mode without a terminal, as bash has. */
  readonly setsid: string | null;
}

const systemPath = '/usr/bin:/bin';

/** dash before sh: where sh is bash, no signal could be told from a code for certain. */
export function findLauncherTools(): LauncherTools {
  const setsid = findProgram('setsid', { path: `${process.env['PATH'] ?? ''}:${systemPath}`, cwd: '/' });
  if (!(setsid instanceof Error)) {
    return { shell: existsSync('/bin/dash') ? '/bin/dash' : '/bin/sh', setsid };
  }
  return { shell: existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh', setsid: null };
}

/**
 * Starts the launcher in a session of its own, so that neither a signal to our group nor the end of our terminal reaches it. Throws
 * like `spawn`, `UnusableFile` for a log or status file, and what `findProgram` says of the command: the launcher itself would start.
 */
export function launch(
  request: SpawnRequest & { files: NonNullable<SpawnRequest['files']> },
  { tools, stdin }: { tools: LauncherTools; stdin: InputPipe['stdio'] },
): ChildProcess {
  const { cwd, env, files, attempt } = request;
  const [file, ...args] = toCommand(request.work, 'file');
  const refusal = findProgram(file, { path: env['PATH'] ?? '/bin:/usr/bin', cwd });
  if (refusal instanceof Error) throw refusal;

  const descriptors: number[] = [];
  try {
    for (const path of [files.log, files.status]) descriptors.push(openForAppending(path));
    const [log, status] = descriptors;
    const script = createLauncherScript({ hasSetsid: tools.setsid !== null });
    const setsid = tools.setsid === null ? [] : [tools.setsid];
    const own = shellVariables.filter((name) => !(name in env)).join(' ');
    return startChild(
      tools.shell,
      ['-c', script, 'troupe-launcher', `${attempt}`, cwd, own, ...setsid, file, ...args],
      {
        // By this name every shell is as POSIX wants it, and reads no file of its own.
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

/** What a shell puts into the environment of what it starts. */
const shellVariables = ['PWD', 'OLDPWD', 'SHLVL', '_'];
