import type { Cancel, Clock } from '../../clock/clock.ts';
import type { BackendPort } from '../backend.ts';
import { isPaused, toHeldBy } from '../cgroup/join-cgroup.ts';
import { followStatus, type StatusListener, watchChanges } from '../file/follow-status.ts';
import { createLeaderControl, type LeaderControl } from '../file/leader-control.ts';
import { appendBeganLine, describeMissingExit } from '../file/status-file.ts';
import { noInput } from '../refusals.ts';
import { isSameScope } from '../tree/identity.ts';
import type { TreeDeps } from '../tree/tree-registry.ts';
import type { TmuxRequest } from './open-session.ts';
import { createOutputEnd } from './output-end.ts';
import { createPaneTerminal } from './pane-terminal.ts';
import { createPaneWriters } from './pane-writers.ts';
import type { TmuxServer } from './tmux-server.ts';

/** The leader's line comes milliseconds after its session. */
const searchPollMs = 10;
/** Interval between looks at a running leader: its end is in the status file unless leftovers hold the terminal. */
const runningPollMs = 1_000;
/** Interval between looks while the leader is dead and tmux is writing that down. */
const endPollMs = 50;
/** Looks after a signal: the launcher may die of it too, and tmux may miss that. */
const pollsAfterSignalMs = [150, 400];

interface PaneAttempt {
  readonly port: BackendPort;
  readonly request: TmuxRequest;
  readonly deps: TreeDeps;
  readonly server: TmuxServer;
  readonly isAdopted: boolean;
  /** Resolves once the session exists, or to `false` where its failure was reported. */
  readonly opened: Promise<boolean>;
  /** Cgroup of the attempt; `null` without one. */
  readonly cgroup: string | null;
}

/** Follows one attempt in its terminal until no more output can come. */
export function followPane(attempt: PaneAttempt): Cancel {
  const { port, request, deps, server, opened, cgroup } = attempt;
  const { clock } = port;
  const { table, reportError } = deps;
  const { files } = request;
  const timers = createTimers(clock);
  let hasExited = false;
  let isDetached = false;
  let cancelWatch: Cancel = () => {};
  /** Resolves once it is known whether there is a leader. */
  const settled = Promise.withResolvers<void>();

  const getRefusal = async () => {
    await settled.promise;
    return hasExited || !control.hasLeader ? 'It is not running any more.' : null;
  };
  const pane = createPaneTerminal({ server, request, clock, getRefusal });
  const control = createLeaderControl(
    { port, deps },
    {
      input: request.stdin === 'pipe' ? pane.input : noInput,
      cgroup,
      terminal: pane.terminal,
      onTreeEmpty: () => {
        if (!isDetached) outputEnd.treeEmptied();
      },
      isOutputComplete: () => outputEnd.isOutputComplete(),
    },
  );

  const isOpened = opened.then((isThere) => {
    if (!isThere) settled.resolve();
    return isThere;
  });
  const writers = createPaneWriters({ port, request, deps, server, opened: isOpened });
  const outputEnd = createOutputEnd(port, {
    screenPath: files.screen,
    isDrained: () => writers.read(null).isDrained,
    isOpen: writers.isOpen,
    schedule: timers.schedule,
    onEnded: stopWatching,
    reportError,
  });

  const watch = followStatus({
    read: writers.read,
    mayStillWrite: writers.mayStillWrite,
    pauseMs: () => (!control.hasLeader ? searchPollMs : writers.leaderIsDead ? endPollMs : runningPollMs),
    sharesGroup: true,
    table,
    id: request.id,
    clock,
    reportError,
    listener: createPaneListener(attempt, {
      control,
      onSettled: settled.resolve,
      onEnd: () => {
        hasExited = true;
      },
      onLost: () => outputEnd.leaderLost(),
      onNeverStarted: stopWatching,
    }),
  });

  function stopWatching(): void {
    cancelWatch();
    cancelWatch = () => {};
  }

  port.onCommand((command) => {
    control.execute(command);
    if (command.type === 'tree.end' || command.type === 'tree.signal')
      for (const pauseMs of pollsAfterSignalMs) timers.schedule(pauseMs, watch.look);
  });
  void isOpened.then(() => {
    if (!isDetached)
      cancelWatch = watchChanges(files.status, () => {
        watch.look();
        if (hasExited && !isDetached) outputEnd.look();
      });
    watch.look();
  });

  return () => {
    isDetached = true;
    watch.cancel();
    stopWatching();
    timers.cancelAll();
    control.detach();
  };
}

/** Turns what a status file says of a terminal's leader into facts of its process. */
function createPaneListener(
  { port, request, deps, isAdopted, opened, cgroup }: PaneAttempt,
  life: {
    readonly control: LeaderControl;
    readonly onSettled: () => void;
    readonly onEnd: () => void;
    readonly onLost: () => void;
    readonly onNeverStarted: () => void;
  },
): StatusListener {
  const { control } = life;
  const { attempt, files } = request;
  let wasSeenAlive = false;

  async function reportNeverStarted(shellOutput: string): Promise<void> {
    control.setNoLeader();
    life.onSettled();
    life.onNeverStarted();
    if (!(await opened)) return;
    if (isAdopted)
      return port.tell({ type: 'process.lost', why: await describeLoss(port, { deps, request }) });
    const said = shellOutput === '' ? '' : ` It said: ${shellOutput}.`;
    const message = `It could not be started: its terminal closed before the command started.${said} Check that ${files.status} can be written and the disk is not full, then start it again.`;
    port.tell({ type: 'process.spawnFailed', cause: 'other', code: null, message });
  }

  return {
    onStarted: async ({ pid, entry, status }) => {
      wasSeenAlive = entry !== null;
      // The start time of an ended process is unknown: '0' makes every process younger.
      const startedAt = entry?.startedAt ?? status.leader?.startedAt ?? '0';
      const { launcher } = status;
      // The launcher leads the terminal's session, and the command stays in its group.
      const pgid = launcher ?? entry?.pgid ?? pid;
      const leader = { pid, startedAt, pgid, sid: entry?.sid ?? pgid };
      await control.setLeader({ leader, launcher });
      life.onSettled();
      if (wasSeenAlive && status.leader?.startedAt == null)
        appendBeganLine(files.status, { attempt, leader, reportError: deps.reportError });
      const startedAtMs = port.startedAtMs ?? port.clock.nowMs();
      const held = toHeldBy(cgroup);
      if (isAdopted)
        port.tell({
          ...{ type: 'process.adopted', pid, pgid, held, startedAtMs },
          isPaused: isPaused(cgroup, entry),
        });
      else port.tell({ type: 'process.spawned', pid, pgid, held });
    },
    onExit: (exit) => {
      life.onEnd();
      control.exited(exit, wasSeenAlive ? 'justNow' : 'longAgo');
    },
    onLost: ({ isTruncated, exit }) => {
      const unseen = exit === null ? unseenEnd : outlivedLauncher;
      life.onEnd();
      control.lost(isTruncated ? describeMissingExit(files.status) : unseen);
      life.onLost();
    },
    onNeverStarted: ({ shellOutput }) => void reportNeverStarted(shellOutput),
  };
}

/** Says why an adopted process of which nothing is left is lost. */
async function describeLoss(
  { leader }: BackendPort,
  { deps, request }: Pick<PaneAttempt, 'deps' | 'request'>,
): Promise<string> {
  if (leader === undefined) return 'it had not been started when its supervisor ended';
  if (!isSameScope(leader, await deps.table.scope()))
    return 'the machine was restarted, which ended its terminal';
  return `its terminal is gone, and ${request.files.status}, where its exit would be recorded, was removed or truncated`;
}

/** Creates timers that do not keep the program alive and can be cancelled together. */
function createTimers(clock: Clock) {
  const cancels = new Set<Cancel>();
  let isCancelled = false;
  return {
    schedule: (pauseMs: number, act: () => void): void => {
      if (isCancelled) return;
      const cancel = clock.at(
        clock.nowMs() + pauseMs,
        () => {
          cancels.delete(cancel);
          act();
        },
        { idle: true },
      );
      cancels.add(cancel);
    },
    cancelAll: () => {
      isCancelled = true;
      for (const cancel of cancels) cancel();
    },
  };
}

const unseenEnd = 'its exit is unknown: the tmux server of its terminal ended before it recorded the exit';
const outlivedLauncher =
  'its exit is unknown: its launcher was killed from outside, and it outlived the launcher and its terminal';
