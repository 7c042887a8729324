import type { Cancel } from '../../clock/clock.ts';
import type { BackendPort } from '../backend.ts';
import type { FileWorld } from './file-world.ts';
import { findLauncher, findRecorded } from './find-leader.ts';
import { followStatus } from './follow-status.ts';
import { createLeaderControl, sidOf } from './leader-control.ts';
import { somebodyCarries } from './somebody-carries.ts';
import { type KnownLaunch, type LaunchStatus, readStatusOf, unreadableEnd } from './status-file.ts';
import { watchChanges } from './watch-changes.ts';

/** A launcher that was forked but runs no program yet carries nothing: nobody is believed to be there only after so long. */
const surelyNobodyMs = 100;
/** So long something may carry its name without having written down who leads. */
const patienceMs = 1_000;
const searchLookMs = 10;
/** Between two looks at one that goes on: its end is told by the status file, but for one whose launcher was killed. */
const lookMs = 1_000;

const closed = {
  code: 'closed',
  refusal: 'Its input is closed: it ended with the supervisor that had started it.',
} as const;

/** Follows what the launcher of an earlier program has started. */
export function adoptLaunched({
  port,
  world,
  statusPath,
}: {
  port: BackendPort;
  world: FileWorld;
  statusPath: string;
}): Cancel {
  const { request, clock } = port;
  const { table } = world;
  const control = createLeaderControl({ port, world }, { input: closed });
  const sinceMs = clock.nowMs();
  let wasSeenAlive = false;
  /** Whom the record names, where only it does. */
  let recorded: KnownLaunch | null = null;

  function read(begun: KnownLaunch | null): LaunchStatus {
    const { attempt } = request;
    const said = readStatusOf(statusPath, { attempt, known: begun ?? recorded });
    if (said.leader !== null || port.leader === undefined) return said;
    // He is dead, and perhaps of the attempt before: only an exit that is of this one makes him its leader.
    const { pid, startedAt } = port.leader;
    const ended = readStatusOf(statusPath, {
      attempt,
      known: { launcher: null, leader: { pid, startedAt } },
    });
    return ended.exit === null ? said : ended;
  }

  /** Without a leader anybody who carries the name may be on the way to become it. */
  async function mayStillWrite(status: LaunchStatus): Promise<boolean> {
    if (status.leader === null && port.leader !== undefined)
      recorded ??= await findRecorded(port.leader, { table, id: request.id });
    if ((await findLauncher(status, { table, id: request.id })) !== null) return true;
    const waitedMs = clock.nowMs() - sinceMs;
    if (status.leader !== null || waitedMs >= patienceMs) return false;
    return waitedMs < surelyNobodyMs || somebodyCarries(table, request.id);
  }

  const watch = followStatus({
    read,
    mayStillWrite,
    pauseMs: () => (control.isKnown ? lookMs : searchLookMs),
    table,
    id: request.id,
    clock,
    reportError: world.reportError,
    listener: {
      onBegun: async ({ pid, entry, status }) => {
        wasSeenAlive = entry !== null;
        // Nobody knows when one began that has ended: anybody may be younger.
        const startedAt = entry?.startedAt ?? status.leader?.startedAt ?? '0';
        const { launcher } = status;
        await control.known({ leader: { pid, startedAt, ...sidOf(entry) }, launcher });
        const startedAtMs = port.startedAtMs ?? clock.nowMs();
        port.tell({ type: 'process.adopted', pid, pgid: pid, startedAtMs });
      },
      onExit: ({ code, signal }) => {
        port.tell({ type: 'process.exited', exit: { code, signal } });
        control.exited(wasSeenAlive ? 'justNow' : 'longAgo');
      },
      onUnseenEnd: ({ isCut }) => {
        const unwritten = wasSeenAlive
          ? 'nobody saw how it ended: the launcher that was to write that down had ended before it'
          : 'it ended while no supervisor was there, and so did the launcher that was to write down how';
        port.tell({ type: 'process.lost', why: isCut ? unreadableEnd(statusPath) : unwritten });
        control.exited('longAgo');
      },
      onNothing: ({ launcher }) => {
        control.neverKnown();
        const unsaid =
          port.leader === undefined ? neverStarted : `${neverStarted}, or ${statusPath} was removed or cut`;
        port.tell({ type: 'process.lost', why: launcher === null ? unsaid : startedHalfway });
      },
    },
  });

  port.onCommand(control.obey);
  const cancelWatch = watchChanges(statusPath, watch.look);
  watch.look();

  return () => {
    watch.cancel();
    cancelWatch();
    control.release();
  };
}

const neverStarted = 'it had not been started when its supervisor ended';
const startedHalfway = 'it was just being started when its supervisor ended, and came to nothing';
