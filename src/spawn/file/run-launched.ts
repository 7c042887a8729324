import { existsSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { Cancel } from '../../clock/clock.ts';
import { redactText } from '../../output/redact.ts';
import type { BackendPort } from '../backend.ts';
import { toHeldBy } from '../cgroup/join-cgroup.ts';
import { createInputWriter } from '../input/input-writer.ts';
import { noInput } from '../refusals.ts';
import type { ProcessEntry, ProcessTable } from '../tree/process-table.ts';
import type { TreeDeps } from '../tree/tree-registry.ts';
import { hasLiveCarrier } from './find-leader.ts';
import { followStatus } from './follow-status.ts';
import { createLeaderControl, sidOf } from './leader-control.ts';
import { appendBeganLine, describeMissingExit, type KnownLaunch, readStatusOf } from './status-file.ts';

/** The leader's line comes about a millisecond after the start of the launcher. */
const firstPollMs = 1;
const pollGrowth = 1.5;
const maxPollMs = 50;
/** Interval after the launcher was killed: then nothing but its absence tells of the leader's end. */
const orphanPollMs = 200;

/** Launcher as a child of this program, or of its starter. */
export interface LauncherChild {
  readonly pid?: number | undefined;
  /** Start time in the unit of the process table, where the pid may be another's by now. */
  readonly startedAt?: string;
  readonly stdin: Writable | null;
  /** Code and signal are `null` where no program has collected its exit. */
  once(event: 'exit', listener: (code: number | null, signal: string | null) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  unref(): void;
}

/** Follows a process that our own launcher starts: the launcher's exit is the sign to read its status file. */
export function runLaunched(
  child: LauncherChild,
  {
    port,
    deps,
    statusPath,
    stdin,
    cgroup,
  }: {
    port: BackendPort;
    deps: TreeDeps;
    statusPath: string;
    stdin: Writable | null;
    cgroup: string | null;
  },
): Cancel {
  const { request, clock } = port;
  const { table, reportError } = deps;
  const input = stdin === null ? noInput : createInputWriter(stdin, clock);
  const control = createLeaderControl({ port, deps }, { input, cgroup });
  let launcherEnd: string | null = null;
  let pollMs = firstPollMs / pollGrowth;

  const launcher = child.pid === undefined ? null : readLauncher({ ...child, pid: child.pid }, table);

  /** The leader found as the launcher's child, where the status file was removed before it was read. */
  let found: KnownLaunch | null = null;
  const read = (known: KnownLaunch | null) =>
    readStatusOf(statusPath, { attempt: request.attempt, known: known ?? found });

  const watch = followStatus({
    read,
    // A process forked by a launcher that was killed right after may still become the leader.
    mayStillWrite: async () => {
      if (launcherEnd === null) {
        if (!control.hasLeader && !existsSync(statusPath)) found ??= await findChildOf(await launcher, table);
        return true;
      }
      return !control.hasLeader && read(null).leader === null && hasLiveCarrier(table, request.id);
    },
    pauseMs: ({ leader }) => {
      if (launcherEnd !== null) return leader === null ? firstPollMs : orphanPollMs;
      if (control.hasLeader) return null;
      pollMs = Math.min(pollMs * pollGrowth, maxPollMs);
      return pollMs;
    },
    table,
    id: request.id,
    clock,
    reportError,
    listener: {
      onStarted: async ({ pid, entry, status }) => {
        // A leader that has ended already is no younger than its launcher.
        const leader = { pid, startedAt: (entry ?? (await launcher))?.startedAt ?? '0', ...sidOf(entry) };
        await control.setLeader({ leader, launcher: status.launcher });
        // For an adopting supervisor; without this line the leader is recognised by its cookie only.
        if (entry !== null && status.exit === null)
          appendBeganLine(statusPath, { attempt: request.attempt, leader, reportError });
        port.tell({ type: 'process.spawned', pid, pgid: pid, held: toHeldBy(cgroup) });
      },
      onExit: (exit) => control.exited(exit, 'justNow'),
      onLost: ({ isTruncated }) =>
        control.lost(
          isTruncated
            ? describeMissingExit(statusPath)
            : `its exit is unknown: the launcher that would have recorded it ended first (${launcherEnd})`,
        ),
      onNeverStarted: ({ shellOutput }) => {
        control.setNoLeader();
        const said = redactText(shellOutput, request.secrets);
        const message = `It could not be started: the launcher ended (${launcherEnd}) before it started the command.${said === '' ? '' : ` It said: ${said}.`} Check that ${statusPath} can be written and the disk is not full, then start it again.`;
        port.tell({ type: 'process.spawnFailed', cause: 'other', code: null, message });
      },
    },
  });

  child.once('exit', (code, signal) => {
    launcherEnd = signal ?? (code === null ? 'its exit is unknown' : `code ${code}`);
    watch.look();
  });
  // Reports a failed kill; the exit that follows is what counts.
  child.on('error', reportError);
  port.onCommand(control.execute);
  watch.look();

  return () => {
    watch.cancel();
    control.detach();
    // The launcher must not keep this program alive.
    child.unref();
    if (stdin instanceof Socket) stdin.unref();
  };
}

/** Reads the launcher. In the turn of its start the pid of our own child cannot be another's. */
async function readLauncher(
  { pid, startedAt }: { pid: number; startedAt?: string },
  table: ProcessTable,
): Promise<ProcessEntry | null> {
  const entry = await table.read(pid).catch(() => null);
  return startedAt === undefined || entry?.startedAt === startedAt ? entry : null;
}

/**
 * Finds the process that a launcher has started, without its status file. A fork with the command line of the launcher is not the command
 * yet: a shell in monitor mode makes the group before it resets its traps, and can lose a signal in between.
 */
async function findChildOf(launcher: ProcessEntry | null, table: ProcessTable): Promise<KnownLaunch | null> {
  if (launcher === null) return null;
  const children = await table.listSince(launcher);
  const started = children.find(
    (entry) => entry.alive && entry.ppid === launcher.pid && entry.command !== launcher.command,
  );
  return started === undefined
    ? null
    : { launcher: launcher.pid, leader: { pid: started.pid, startedAt: started.startedAt } };
}
