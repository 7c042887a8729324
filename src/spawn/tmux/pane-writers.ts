import type { SignalReason } from '../../../machines/process/events.ts';
import type { BackendPort } from '../backend.ts';
import { findLauncher, findLeader, findRecordedLeader } from '../file/find-leader.ts';
import { type KnownLaunch, type LaunchStatus, readStatusOf } from '../file/status-file.ts';
import type { TreeDeps } from '../tree/tree-registry.ts';
import type { TmuxRequest } from './open-session.ts';
import type { Pane, TmuxServer } from './tmux-server.ts';

/** Two heartbeats of the server: it may miss the death of a child for that long. */
const unseenMs = 10_000;

/** Processes that may still write into the status file of one attempt: its launcher, or tmux in its place. */
interface PaneWriters {
  /** Reads the status file. `started`: the launch it named when it was last read. */
  read(started: KnownLaunch | null): LaunchStatus;
  mayStillWrite(): Promise<boolean>;
  /** Tells whether the terminal of the attempt is still there. Rejects where tmux does not say. */
  isOpen(): Promise<boolean>;
  /** True if `mayStillWrite` last found the leader dead, so that its end is just being written. */
  readonly leaderIsDead: boolean;
}

export function createPaneWriters({
  port,
  request,
  deps,
  server,
  opened,
}: {
  readonly port: Pick<BackendPort, 'leader' | 'clock' | 'tell'>;
  readonly request: TmuxRequest;
  readonly deps: TreeDeps;
  readonly server: TmuxServer;
  readonly opened: Promise<boolean>;
}): PaneWriters {
  const { table, trees } = deps;
  const { id, attempt, files } = request;
  let leaderIsDead = false;
  let wasSeenAlive = false;
  /** Time since which the leader is dead and its terminal unknown. */
  let unseenSinceMs: number | null = null;
  let hasHungUp = false;
  /** The launch named by the status file or the record, kept in case the file is removed. */
  let found: KnownLaunch | null = null;

  const read = (started: KnownLaunch | null): LaunchStatus => {
    found = started ?? found;
    return readStatusOf(files.status, { attempt, known: found });
  };

  async function mayStillWrite(): Promise<boolean> {
    if (!(await opened)) return false;
    const status = read(null);
    if (status.exit !== null) return false;
    if (status.leader === null && port.leader !== undefined)
      found ??= await findRecordedLeader(port.leader, { table, id });
    leaderIsDead = status.leader !== null && (await findLeader(status, { table, id })) === null;
    if (status.leader !== null && !leaderIsDead) {
      wasSeenAlive = true;
      if (status.isDrained) await hangUp();
      return true;
    }
    return mayPaneWrite(status);
  }

  async function mayPaneWrite(status: LaunchStatus): Promise<boolean> {
    // The launcher orders the end, or writes it itself without its terminal. The process table is cheaper to ask than tmux.
    if ((await findLauncher(status, { table, id })) !== null) return true;
    const now = await findOwnPane(status);
    if (now === null) return mayServerWrite(status);
    // tmux 3.3 sometimes misses the death of a child until the next one dies, so one is made to die.
    if (leaderIsDead && !(await isAlive(now.pid))) await server.ask([['run-shell', '-b', 'exit']]);
    return true;
  }

  /** Finds the terminal of this attempt; another of the same name belongs to another server. */
  async function findOwnPane({ launcher }: LaunchStatus): Promise<Pane | null> {
    const pane = await server.findPane(id);
    return launcher === null || pane?.pid === launcher ? pane : null;
  }

  /** Waits for a server that may still hold the terminal behind a socket that another server took over; not once the output is drained. */
  function mayServerWrite({ isDrained }: LaunchStatus): boolean {
    if (!wasSeenAlive || isDrained) return false;
    unseenSinceMs ??= port.clock.nowMs();
    return port.clock.nowMs() - unseenSinceMs < unseenMs;
  }

  /**
   * Hangs up a process whose output nothing reads any more because the server was killed from outside: the system told only the
   * launcher, which must not end of it.
   */
  async function hangUp(): Promise<void> {
    if (hasHungUp) return;
    const isThere = (await server.findPane(id)) !== null;
    hasHungUp = true;
    if (isThere) return;
    const why: SignalReason = { by: 'supervisor', cause: { type: 'hangup' } };
    for (const sent of (await trees.get(id)?.signal('SIGHUP', 'tree')) ?? [])
      port.tell({ type: 'process.signalled', ...sent, why });
  }

  async function isAlive(pid: number): Promise<boolean> {
    return (await table.read(pid))?.alive === true;
  }

  return {
    read,
    mayStillWrite,
    isOpen: async () => (await findOwnPane(read(null))) !== null,
    get leaderIsDead() {
      return leaderIsDead;
    },
  };
}
