import type { BackendPort } from '../backend.ts';
import type { FileWorld } from '../file/file-world.ts';
import { findLauncher, findLeader, findRecorded } from '../file/find-leader.ts';
import { type KnownLaunch, type LaunchStatus, readStatusOf } from '../file/status-file.ts';
import type { TmuxRequest } from './open-session.ts';
import type { TmuxServer } from './tmux-server.ts';

/** Two beats of the server: so long it may miss that its child has died. */
const unseenMs = 10_000;

/** Who there is that could write into the status file of one attempt: its launcher, or tmux in its place. */
export interface PaneWriters {
  /** What is written there. `begun`: whom it named when that was last read. */
  read(begun: KnownLaunch | null): LaunchStatus;
  mayStillWrite(): Promise<boolean>;
  /** As `mayStillWrite` has seen it: its end is just being written down. */
  readonly leaderIsDead: boolean;
}

export function createPaneWriters({
  port,
  request,
  world,
  server,
  opened,
}: {
  readonly port: Pick<BackendPort, 'leader' | 'clock'>;
  readonly request: TmuxRequest;
  readonly world: FileWorld;
  readonly server: TmuxServer;
  readonly opened: Promise<boolean>;
}): PaneWriters {
  const { table, trees } = world;
  const { id, attempt, files } = request;
  let leaderIsDead = false;
  let wasSeenAlive = false;
  /** Since when it is dead and nobody knows of its terminal. */
  let unseenSinceMs: number | null = null;
  let hasHungUp = false;
  /** Whom the status file named, or the record: where the file was removed, tmux need not be asked. */
  let found: KnownLaunch | null = null;

  const read = (begun: KnownLaunch | null): LaunchStatus => {
    found = begun ?? found;
    return readStatusOf(files.status, { attempt, known: found });
  };

  async function mayStillWrite(): Promise<boolean> {
    if (!(await opened)) return false;
    const status = read(null);
    if (status.exit !== null) return false;
    if (status.leader === null && port.leader !== undefined)
      found ??= await findRecorded(port.leader, { table, id });
    leaderIsDead = status.leader !== null && (await findLeader(status, { table, id })) === null;
    if (status.leader !== null && !leaderIsDead) {
      wasSeenAlive = true;
      if (status.isDrained) await hangUp();
      return true;
    }
    return mayPaneWrite(status);
  }

  async function mayPaneWrite(status: LaunchStatus): Promise<boolean> {
    const now = await server.findPane(id);
    // Where its terminal is gone the launcher writes down the end by itself.
    if (now === null || (status.launcher !== null && now.pid !== status.launcher))
      return (await findLauncher(status, { table, id })) !== null || mayServerWrite(status);
    // Now and then tmux 3.3 misses that its child has died; with the next that does it looks for all.
    if (leaderIsDead && !(await isAlive(now.pid))) await server.ask([['run-shell', '-b', 'exit']]);
    return true;
  }

  /** The server that has it may be there still, behind a socket that another has by now. Once all was taken down it is not. */
  function mayServerWrite({ isDrained }: LaunchStatus): boolean {
    if (!wasSeenAlive || isDrained) return false;
    unseenSinceMs ??= port.clock.nowMs();
    return port.clock.nowMs() - unseenSinceMs < unseenMs;
  }

  /**
   * Nobody takes its output down any more. Where that is so because the server was ended from outside, the system has told the launcher alone, who
   * must not end of it.
   */
  async function hangUp(): Promise<void> {
    if (hasHungUp) return;
    const isThere = (await server.findPane(id)) !== null;
    hasHungUp = true;
    if (!isThere) await trees.get(id)?.signal('SIGHUP');
  }

  async function isAlive(pid: number): Promise<boolean> {
    return (await table.read(pid))?.alive === true;
  }

  return {
    read,
    mayStillWrite,
    get leaderIsDead() {
      return leaderIsDead;
    },
  };
}
