import type { Cancel } from '../../clock/clock.ts';
import type { BackendPort } from '../backend.ts';
import { findAdopted, isPaused, toHeldBy } from '../cgroup/join-cgroup.ts';
import type { TreeDeps } from '../tree/tree-registry.ts';
import { findLauncher, findRecordedLeader, hasLiveCarrier } from './find-leader.ts';
import { followStatus, watchChanges } from './follow-status.ts';
import { createLeaderControl, sidOf } from './leader-control.ts';
import { describeMissingExit, type KnownLaunch, type LaunchStatus, readStatusOf } from './status-file.ts';

/** Time a forked launcher may take until its environment carries the id. Before that an absent carrier proves nothing. */
const forkMs = 100;
/** Time a carrier of the id may live without having recorded a leader. */
const startTimeoutMs = 1_000;
const searchPollMs = 10;
/** Interval between looks at a running leader: its end is in the status file unless its launcher was killed. */
const runningPollMs = 1_000;

const closed = {
  code: 'closed',
  refusal: 'Its input is closed: it ended with the supervisor that started it.',
} as const;

/** Follows a process that the launcher of an earlier supervisor started. */
export function adoptLaunched({
  port,
  deps,
  statusPath,
}: {
  port: BackendPort;
  deps: TreeDeps;
  statusPath: string;
}): Cancel {
  const { request, clock } = port;
  const { table } = deps;
  const cgroup = findAdopted(port, deps.cgroups);
  const control = createLeaderControl({ port, deps }, { input: closed, cgroup });
  const sinceMs = clock.nowMs();
  let wasSeenAlive = false;
  /** The leader named by the record, where only the record names one. */
  let recorded: KnownLaunch | null = null;

  function read(started: KnownLaunch | null): LaunchStatus {
    const { attempt } = request;
    const status = readStatusOf(statusPath, { attempt, known: started ?? recorded });
    if (status.leader !== null || port.leader === undefined) return status;
    // The recorded leader is dead, and perhaps of the attempt before: only an exit of this attempt proves that it led.
    const { pid, startedAt } = port.leader;
    const ended = readStatusOf(statusPath, {
      attempt,
      known: { launcher: null, leader: { pid, startedAt } },
    });
    return ended.exit === null ? status : ended;
  }

  /** Without a recorded leader, any carrier of the id may still become it. */
  async function mayStillWrite(status: LaunchStatus): Promise<boolean> {
    if (status.leader === null && port.leader !== undefined)
      recorded ??= await findRecordedLeader(port.leader, { table, id: request.id });
    if ((await findLauncher(status, { table, id: request.id })) !== null) return true;
    const waitedMs = clock.nowMs() - sinceMs;
    if (status.leader !== null || waitedMs >= startTimeoutMs) return false;
    return waitedMs < forkMs || hasLiveCarrier(table, request.id);
  }

  const watch = followStatus({
    read,
    mayStillWrite,
    pauseMs: () => (control.hasLeader ? runningPollMs : searchPollMs),
    table,
    id: request.id,
    clock,
    reportError: deps.reportError,
    listener: {
      onStarted: async ({ pid, entry, status }) => {
        wasSeenAlive = entry !== null;
        // The start time of an ended process is unknown: '0' makes every process younger.
        const startedAt = entry?.startedAt ?? status.leader?.startedAt ?? '0';
        const { launcher } = status;
        await control.setLeader({ leader: { pid, startedAt, ...sidOf(entry) }, launcher });
        const startedAtMs = port.startedAtMs ?? clock.nowMs();
        port.tell({
          ...{ type: 'process.adopted', pid, pgid: pid, held: toHeldBy(cgroup), startedAtMs },
          isPaused: isPaused(cgroup, entry),
        });
      },
      onExit: (exit) => control.exited(exit, wasSeenAlive ? 'justNow' : 'longAgo'),
      onLost: ({ isTruncated }) => {
        const unwritten = wasSeenAlive
          ? 'its exit is unknown: the launcher that would have recorded it ended first'
          : 'it ended while no supervisor was running, and its launcher ended before it recorded the exit';
        control.lost(isTruncated ? describeMissingExit(statusPath) : unwritten);
      },
      onNeverStarted: ({ launcher }) => {
        control.setNoLeader();
        const unsaid =
          port.leader === undefined
            ? neverStarted
            : `${neverStarted}, or ${statusPath} was removed or truncated`;
        port.tell({ type: 'process.lost', why: launcher === null ? unsaid : startedHalfway });
      },
    },
  });

  port.onCommand(control.execute);
  const cancelWatch = watchChanges(statusPath, watch.look);
  watch.look();

  return () => {
    watch.cancel();
    cancelWatch();
    control.detach();
  };
}

const neverStarted = 'it had not been started when its supervisor ended';
const startedHalfway = 'its start was interrupted by the end of its supervisor';
