import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { createRealClock } from '../../../clock/real-clock.ts';
import { installedSandbox } from '../../../policy/sandbox/sandbox-runtime.ts';
import { findOwnCgroup } from '../../../spawn/cgroup/own-cgroup.ts';
import { runSync } from '../../../spawn/start-child.ts';
import { createFileSupervisorRegistry } from '../../../store/file-supervisor-registry.ts';
import type { CliIo } from '../../cli-io.ts';
import type { Machine } from './checks.ts';

/** tmux answers at once, or not at all. */
const TMUX_MS = 5_000;

/** The machine that this program runs on. */
export function thisMachine({ io, stateDirectory }: { io: CliIo; stateDirectory: string }): Machine {
  return {
    platform: process.platform,
    arch: process.arch,
    nodeVersion: process.versions.node,
    find: (program) => findProgram(program, io.env['PATH'] ?? ''),
    canRead: (path) => can(path, constants.R_OK),
    cgroupProblem: () => {
      const own = findOwnCgroup();
      return 'why' in own ? own.why : null;
    },
    openFiles: readOpenFiles(),
    stateDirectory,
    lookAt: (directory) => {
      const stats = statSync(directory, { throwIfNoEntry: false });
      return stats === undefined
        ? null
        : { mode: stats.mode, isOwn: stats.uid === (process.getuid?.() ?? stats.uid) };
    },
    canWrite: (directory) => can(directory, constants.W_OK | constants.X_OK),
    tmuxVersion: () => {
      const { status, stdout } = runSync('tmux', ['-V'], { timeout: TMUX_MS });
      return status === 0 ? stdout.trim() : null;
    },
    ptyProblem: async () => {
      const { loadNativePty } = await import('../../../spawn/pty/native-pty.ts');
      const { loadEmulator } = await import('../../../spawn/terminal/emulator.ts');
      for (const part of [loadNativePty(), loadEmulator()]) if ('why' in part) return part.why;
      return null;
    },
    sandboxErrors: async () => {
      try {
        const runtime = await installedSandbox.acquire();
        if (!runtime.isSupportedPlatform()) return ['this platform has none'];
        return runtime.checkDependencies().errors;
      } catch {
        return null;
      }
    },
    supervisors: async () =>
      createFileSupervisorRegistry({ directory: stateDirectory, clock: createRealClock() })
        .list()
        .flatMap(({ entry, state }) => (state === 'alive' ? [entry] : [])),
  };
}

function findProgram(program: string, path: string): string | null {
  const files = path.split(delimiter).map((directory) => join(directory || '.', program));
  return files.find((file) => can(file, constants.X_OK) && statSync(file).isFile()) ?? null;
}

function can(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}

/** Reads the soft limit, which only Linux exposes as a file. */
function readOpenFiles(): number | null {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? null : Number(soft);
  } catch {
    return null;
  }
}
