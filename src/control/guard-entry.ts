import { closeSync, existsSync, fstatSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { StatePaths } from '../store/state-paths.ts';

const LOOK_MS = 1_000;

/** Number of missed checks before restoring, so that an ongoing removal is not disturbed. */
const MISSED_LOOKS = 2;

/**
 * Watches the registry entry and control socket of a supervisor, without which it cannot be reached. Restores them two
 * checks after they were removed (`git clean`, `rm -rf .troupe`) while the workspace, the directory around the state
 * directory, exists. A workspace that was moved is left alone. Keeps nothing alive.
 */
export function guardEntry({
  clock,
  paths,
  supervisorId,
  socketPath,
  restore,
  onWorkspaceRemoved = () => {},
  reportError,
}: {
  readonly clock: Clock;
  readonly paths: StatePaths;
  readonly supervisorId: string;
  readonly socketPath: string;
  readonly restore: () => Promise<void>;
  /** Called once. */
  readonly onWorkspaceRemoved?: () => void;
  readonly reportError: (error: unknown) => void;
}): Cancel {
  const workspace = dirname(paths.directory);
  const held = tryOpen(workspace);
  let missed = 0;
  let isOver = false;
  let cancelLook: Cancel = () => {};

  const look = async () => {
    const isThere = existsSync(paths.supervisorOf(supervisorId)) && existsSync(socketPath);
    missed = isThere ? 0 : missed + 1;
    if (isRemoved(held)) {
      cancel();
      return onWorkspaceRemoved();
    }
    if (missed >= MISSED_LOOKS && existsSync(workspace)) {
      missed = 0;
      await restore().catch(reportError);
    }
    lookLater();
  };
  const lookLater = () => {
    if (!isOver) cancelLook = clock.at(clock.nowMs() + LOOK_MS, () => void look(), { idle: true });
  };
  const cancel = () => {
    if (isOver) return;
    isOver = true;
    cancelLook();
    if (held !== null) closeSync(held);
  };

  lookLater();
  return cancel;
}

/** Opens the directory: the descriptor tells whether it was removed, even if another one took its name. */
function tryOpen(directory: string): number | null {
  try {
    return openSync(directory, 'r');
  } catch {
    return null;
  }
}

function isRemoved(directory: number | null): boolean {
  return directory !== null && fstatSync(directory).nlink === 0;
}
