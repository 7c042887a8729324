import type { KV, KvWatchEntry } from '@nats-io/kv';
import { pause } from './servers.ts';

/** A watch that ended without being cancelled, as after a long outage, begins again after this. */
const REOPEN_MS = 300;

/** A watch of a bucket. */
export interface BucketWatch {
  /** Opens the watch again where it was: after a reconnection it may be silent for many seconds. */
  reopen(): void;
  /** Resolves when nothing of the watch is being opened: the client cannot end that on a closed connection. */
  cancel(): Promise<void>;
}

/**
 * Calls back for each new value of the keys, until it is cancelled. A watch of the client can end, or fall silent after an outage; it
 * continues behind the last revision that was seen.
 */
export function watchBucket(
  bucket: KV,
  {
    keys,
    onEntry,
    onError,
  }: {
    readonly keys: string[];
    readonly onEntry: (entry: KvWatchEntry) => void;
    readonly onError: (error: unknown) => void;
  },
): BucketWatch {
  let isOver = false;
  let seen = 0;
  let stop = () => {};

  const watch = async (): Promise<void> => {
    const from = seen === 0 ? { include: 'updates' as const } : { resumeFromRevision: seen + 1 };
    const entries = await bucket.watch({ key: keys, ...from });
    stop = () => entries.stop();
    if (isOver) stop();
    for await (const entry of entries) {
      if (isOver) return;
      seen = Math.max(seen, entry.revision);
      try {
        onEntry(entry);
      } catch (error) {
        onError(error);
      }
    }
  };
  const run = async (): Promise<void> => {
    while (!isOver) {
      // Servers that cannot be reached are no error of the watch.
      await watch().catch(() => {});
      if (!isOver) await pause(REOPEN_MS);
    }
  };
  const ended = run();

  return {
    reopen: () => stop(),
    cancel: () => {
      isOver = true;
      stop();
      return ended;
    },
  };
}
