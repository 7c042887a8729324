import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { LINEAGE } from '../environment.ts';
import { startChild } from '../start-child.ts';
import { watchdogScript } from './watchdog-script.ts';

/** Running `sh` of a watchdog. Keeps neither the program nor itself alive. */
export interface WatchdogProcess {
  readonly pid: number | null;
  /** Writes without throwing or waiting; unwritten lines are lost together with the process. */
  write(lines: string): void;
  /** Bytes written that the process has not read yet. */
  readonly backlogBytes: number;
  /** Ends the process without killing anything; resolves at its exit, by force after `forceAfterMs`. */
  dismiss(forceAfterMs: number): Promise<void>;
  end(): void;
}

/** Starts the process. `onEnd` is called once, when it has ended or could not be started. */
export function startWatchdogProcess(options: {
  supervisorId: string;
  /** Cgroup of the processes that end with the supervisor; `null` without one. */
  cgroup: string | null;
  /** Lineage of this program, so that an end of our own tree ends our watchdog, too. */
  inheritedLineage: string | undefined;
  onEnd: (error: Error | null) => void;
}): WatchdogProcess {
  const child = startChild(
    '/bin/sh',
    ['-c', watchdogScript, 'troupe-watchdog', options.supervisorId, options.cgroup ?? ''],
    {
      detached: true,
      cwd: '/',
      stdio: ['pipe', 'ignore', 'ignore'],
      env: {
        PATH: process.env['PATH'],
        LC_ALL: 'C',
        ...(options.inheritedLineage !== undefined && { [LINEAGE]: options.inheritedLineage }),
      },
    },
  );
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  child.once('error', options.onEnd);
  child.once('exit', () => options.onEnd(null));
  // EPIPE is followed by `exit`, which is handled.
  child.stdin?.on('error', () => {});
  unrefAll(child);

  return {
    pid: child.pid ?? null,
    write: (lines) => void child.stdin?.write(lines),
    get backlogBytes() {
      return child.stdin?.writableLength ?? 0;
    },
    async dismiss(forceAfterMs) {
      // Without a reference the program would end before the promise does.
      child.ref();
      child.stdin?.end('q\n');
      const force = setTimeout(() => child.kill('SIGKILL'), forceAfterMs);
      await ended;
      clearTimeout(force);
    },
    end: () => void child.kill('SIGKILL'),
  };
}

function unrefAll(child: ChildProcess): void {
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
}
