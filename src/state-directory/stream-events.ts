import { type FSWatcher, watch } from 'node:fs';
import { pause } from '../clock/pause.ts';
import { toErrorText } from '../config/error-text.ts';
import type { Peer } from '../control/protocol.ts';
import type { DirectoryDeps } from './directory-deps.ts';
import type { SeenEvent } from './state-directory.ts';

/** Interval for detecting a new supervisor where its directory cannot be watched, such as before the first one. */
const LOOK_MS = 50;
/** Interval beside a watch, which some file systems never notify. */
const WATCHED_LOOK_MS = 1_000;

/**
 * Merges the events of all supervisors of a state directory, those that start later included, until `signal` is aborted. A supervisor that
 * does not understand the request yields `supervisor.unheard`.
 */
export async function* streamEvents(
  deps: DirectoryDeps,
  { since, signal }: { readonly since: number; readonly signal: AbortSignal },
): AsyncGenerator<SeenEvent, void> {
  const { streamControl } = await import('../control/control-client.ts');
  const heard = new Set<string>();
  let waiting: SeenEvent[] = [];
  let wake = () => {};
  const push = (event: SeenEvent) => {
    waiting.push(event);
    wake();
  };
  const hear = async (peer: Peer) => {
    const supervisorId = peer.id;
    try {
      const stream = streamControl(peer.socket, { method: 'events', params: { since }, signal });
      for await (const event of stream) push({ ...event, supervisorId });
    } catch (error) {
      if (signal.aborted || (await deps.hasPeerEnded(error, peer))) return;
      push({ type: 'supervisor.unheard', at: deps.clock.epochMs(), why: toErrorText(error), supervisorId });
    }
  };
  const look = () => {
    for (const peer of deps.peers.list()) {
      if (heard.has(peer.id)) continue;
      heard.add(peer.id);
      void hear(peer);
    }
  };
  const keepLooking = async () => {
    const watched = watchDirectory(deps.paths.supervisors, () => {
      try {
        look();
      } catch {
        // The loop below reads the directory again.
      }
    });
    try {
      while (!signal.aborted) {
        const isWatched = watched.open();
        look();
        await pause(deps.clock, { ms: isWatched ? WATCHED_LOOK_MS : LOOK_MS, signal });
      }
    } finally {
      watched.close();
    }
  };
  const looking = keepLooking().catch(() => {});
  const leave = () => wake();
  signal.addEventListener('abort', leave);
  try {
    while (!signal.aborted) {
      const taken = waiting;
      waiting = [];
      yield* taken;
      if (waiting.length > 0 || signal.aborted) continue;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  } finally {
    signal.removeEventListener('abort', leave);
    await looking;
  }
}

/** Watches a directory that may not exist yet or may be replaced: `open` returns whether it is watched now. */
function watchDirectory(path: string, onChange: () => void) {
  let watcher: FSWatcher | null = null;
  const close = () => {
    watcher?.close();
    watcher = null;
  };
  const open = () => {
    if (watcher !== null) return true;
    try {
      watcher = watch(path, { persistent: false }, onChange);
      watcher.on('error', close);
      return true;
    } catch {
      return false;
    }
  };
  return { open, close };
}
