import type { Cancel } from '../../clock/clock.ts';
import { appendPrivateFile } from '../../store/private-files.ts';
import type { BackendPort } from '../backend.ts';
import type { FileWorld } from '../file/file-world.ts';
import { followStatus } from '../file/follow-status.ts';
import { createLeaderControl } from '../file/leader-control.ts';
import { type LaunchStatus, toBeganLine, unreadableEnd } from '../file/status-file.ts';
import { watchChanges } from '../file/watch-changes.ts';
import { isFromScope } from '../tree/identity.ts';
import type { TmuxRequest } from './open-session.ts';
import { createOutputEnd } from './output-end.ts';
import { createPaneTerminal } from './pane-terminal.ts';
import { createPaneWriters } from './pane-writers.ts';
import type { TmuxServer } from './tmux-server.ts';

/** The leader's line comes milliseconds after its session. */
const searchLookMs = 10;
/** Its end is told by the status file, but where something that it left behind holds the terminal. */
const lookMs = 1_000;
/** The leader is dead, and tmux is just writing that down. */
const endLookMs = 50;

/** Who follows it: whoever has just started its session, or another later. */
export interface Follower {
  readonly port: BackendPort;
  readonly request: TmuxRequest;
  readonly world: FileWorld;
  readonly server: TmuxServer;
  readonly isAdopted: boolean;
  /** Resolves once there is a session, or `false` where there will be none, and that was told. */
  readonly opened: Promise<boolean>;
}

/** Follows one attempt in its terminal until no more output can come. */
export function followPane({ port, request, world, server, isAdopted, opened }: Follower): Cancel {
  const { clock } = port;
  const { table, reportError } = world;
  const { id, attempt, files } = request;
  const cancels = new Set<Cancel>();
  let wasSeenAlive = false;
  let hasExited = false;
  let isReleased = false;
  const settled = Promise.withResolvers<void>();

  const pane = createPaneTerminal(
    { server, request, clock },
    {
      refusal: async () => {
        await settled.promise;
        return hasExited || !control.isKnown ? 'It is not running any more.' : null;
      },
    },
  );
  const control = createLeaderControl(
    { port, world },
    {
      input: request.stdin === 'pipe' ? pane.input : noInput,
      terminal: pane.terminal,
      onAlone: () => {
        if (!isReleased) outputEnd.alone();
      },
      isQuietTrue: () => outputEnd.isQuietTrue(),
    },
  );

  function later(pauseMs: number, act: () => void): void {
    if (isReleased) return;
    const cancel = clock.at(
      clock.nowMs() + pauseMs,
      () => {
        cancels.delete(cancel);
        act();
      },
      { idle: true },
    );
    cancels.add(cancel);
  }

  const isOpened = opened.then((isThere) => {
    if (!isThere) settled.resolve();
    return isThere;
  });
  const writers = createPaneWriters({ port, request, world, server, opened: isOpened });
  const outputEnd = createOutputEnd(port, {
    screenPath: files.screen,
    isDrained: () => writers.read(null).isDrained,
    later,
    onEnded: stopWatching,
    reportError,
  });

  function begin(who: {
    pid: number;
    pgid: number;
    startedAt: string;
    isAlive: boolean;
    isNoted: boolean;
  }): void {
    const { pid, pgid } = who;
    if (who.isAlive && !who.isNoted) {
      try {
        appendPrivateFile(files.status, toBeganLine(attempt, who));
      } catch (error) {
        reportError(error);
      }
    }
    if (isAdopted) {
      port.tell({ type: 'process.adopted', pid, pgid, startedAtMs: port.startedAtMs ?? clock.nowMs() });
    } else port.tell({ type: 'process.spawned', pid, pgid });
  }

  function leave(when: 'justNow' | 'longAgo'): void {
    hasExited = true;
    control.exited(when);
  }

  const watch = followStatus({
    read: writers.read,
    mayStillWrite: writers.mayStillWrite,
    pauseMs: () => (!control.isKnown ? searchLookMs : writers.leaderIsDead ? endLookMs : lookMs),
    sharesGroup: true,
    table,
    id,
    clock,
    reportError,
    listener: {
      onBegun: async ({ pid, entry, status }) => {
        wasSeenAlive = entry !== null;
        // Nobody knows when one began that has ended: anybody may be younger.
        const startedAt = entry?.startedAt ?? status.leader?.startedAt ?? '0';
        const { launcher } = status;
        // The launcher leads the terminal's session, and the command stays in its group.
        const pgid = launcher ?? entry?.pgid ?? pid;
        await control.known({ leader: { pid, startedAt, pgid, sid: entry?.sid ?? pgid }, launcher });
        settled.resolve();
        begin({ pid, pgid, startedAt, isAlive: wasSeenAlive, isNoted: status.leader?.startedAt != null });
      },
      onExit: ({ code, signal }) => {
        port.tell({ type: 'process.exited', exit: { code, signal } });
        leave(wasSeenAlive ? 'justNow' : 'longAgo');
      },
      onUnseenEnd: ({ isCut, exit }) => {
        const unseen = exit === null ? unseenEnd : outlivedLauncher;
        port.tell({ type: 'process.lost', why: isCut ? unreadableEnd(files.status) : unseen });
        leave('longAgo');
        outputEnd.lost();
      },
      onNothing: (status) => void tellNothing(status),
    },
  });

  async function tellNothing({ words }: LaunchStatus): Promise<void> {
    control.neverKnown();
    settled.resolve();
    stopWatching();
    if (!(await opened)) return;
    if (isAdopted) return port.tell({ type: 'process.lost', why: await whyLost() });
    const said = words === '' ? '' : ` It said: ${words}.`;
    const message = `It could not be started: its terminal closed before it was there.${said} Check that ${files.status} can be written and the disk is not full, then start it again.`;
    port.tell({ type: 'process.spawnFailed', cause: 'other', code: null, message });
  }

  async function whyLost(): Promise<string> {
    const { leader } = port;
    if (leader === undefined) return 'it had not been started when its supervisor ended';
    if (!isFromScope(leader, await table.scope()))
      return 'the machine was restarted, and its terminal was gone with it';
    return `its terminal is gone, and ${files.status}, where its end was to be written, was removed or cut`;
  }

  function stopWatching(): void {
    cancelWatch();
    cancelWatch = () => {};
  }

  let cancelWatch: Cancel = () => {};
  port.onCommand((command) => {
    control.obey(command);
    // The launcher may die of it, too, and tmux miss that.
    if (command.type === 'process.signal') for (const pauseMs of [150, 400]) later(pauseMs, watch.look);
  });
  void isOpened.then(() => {
    if (!isReleased)
      cancelWatch = watchChanges(files.status, () => {
        watch.look();
        if (hasExited && !isReleased) outputEnd.look();
      });
    watch.look();
  });

  return () => {
    isReleased = true;
    watch.cancel();
    stopWatching();
    for (const cancel of cancels) cancel();
    control.release();
  };
}

const noInput = {
  code: 'noInput',
  refusal: 'Its input was not asked for: start it with stdin: "pipe".',
} as const;
const unseenEnd =
  'nobody saw how it ended: the tmux server that kept its terminal was gone before that was written down';
const outlivedLauncher =
  'nobody saw how it ended: its launcher was killed from outside, and it outlived that and its terminal';
