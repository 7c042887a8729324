import type { KvEntry } from '@nats-io/kv';
import type { Cancel } from '../../clock/clock.ts';
import { subjects } from './protocol.ts';
import type { Servers } from './servers.ts';
import { type BucketWatch, watchBucket } from './watch-bucket.ts';

/** Interval of the beats of a peer. */
export const BEAT_MS = 500;

/** Proves that a peer is alive, and finds out which others are not. */
export interface Presence {
  /** Calls back once when a peer has been silent for `silentMs`, or has ended in order, unless the returned function is called first. */
  onSilent(key: string, options: { readonly silentMs: number; readonly callback: () => void }): Cancel;
  /** `performance.now()` at the start of the last beat that the servers have stored. */
  readonly lastStoredMs: number;
  /** Resolves when the connection may be closed. */
  close(): Promise<void>;
}

interface Watched {
  readonly silentBeats: number;
  readonly callback: () => void;
  /** Number of our own beats that were seen when the peer was last heard. */
  heardAt: number;
}

/**
 * Writes a beat into the bucket of peers every half second, and watches those of others. The silence of a peer is counted in our own beats
 * that went the same way, through the servers and back, never in time: during an outage of the servers nothing counts, so no peer is taken
 * for dead because of it.
 */
export function openPresence(
  servers: Pick<Servers, 'jetstream' | 'peers' | 'onReconnect'>,
  {
    key,
    describe,
    onError,
  }: {
    readonly key: string;
    /** Returns what others see of this peer. */
    readonly describe: () => object;
    readonly onError: (error: unknown) => void;
  },
): Presence {
  const watched = new Map<string, Set<Watched>>();
  /** Own beats that came back. */
  let returned = 0;
  let isClosed = false;
  let watch: BucketWatch | null = null;
  let watchedKeys: ReadonlySet<string> = new Set();
  const leaving = new Set<Promise<void>>();

  const onEntry = ({ key: from, value, operation }: Pick<KvEntry, 'key' | 'value' | 'operation'>) => {
    if (from !== key) {
      for (const peer of watched.get(from) ?? []) {
        peer.heardAt = returned;
        // A peer that ends in order deletes its key.
        if (operation === 'DEL') giveUp(from, peer);
      }
      return;
    }
    // A beat that was held up says nothing: those of others were, too, and arrive behind it.
    const { sentMs } = JSON.parse(Buffer.from(value).toString('utf8')) as { readonly sentMs: number };
    if (performance.now() - sentMs > 4 * BEAT_MS) return;
    returned += 1;
    for (const [of, peers] of watched) {
      for (const peer of peers) {
        if (returned - peer.heardAt < peer.silentBeats) continue;
        giveUp(of, peer);
      }
    }
  };

  const leave = (old: BucketWatch) => {
    const left = old.cancel();
    leaving.add(left);
    void left.finally(() => leaving.delete(left));
  };

  /** Opens a new watch, because the keys of one cannot change. Own beats are counted again once it is open. */
  const openWatch = () => {
    if (watch !== null) leave(watch);
    watchedKeys = new Set(watched.keys());
    watch = watchBucket(servers.peers, {
      keys: [key, ...watchedKeys],
      ...{ onEntry, onError },
    });
  };

  const remove = (of: string, peer: Watched) => {
    const peers = watched.get(of);
    peers?.delete(peer);
    // Its key stays in the watch until that is opened again: most peers return with the next process.
    if (peers?.size === 0) watched.delete(of);
  };

  const giveUp = (of: string, peer: Watched) => {
    remove(of, peer);
    peer.callback();
  };

  openWatch();
  const beats = startBeats(servers, { key, describe });
  servers.onReconnect(() => watch?.reopen());

  return {
    get lastStoredMs() {
      return beats.lastStoredMs;
    },
    onSilent: (of, { silentMs, callback }) => {
      const peer = { callback, heardAt: returned, silentBeats: Math.ceil(silentMs / BEAT_MS) };
      const peers = watched.get(of);
      if (peers !== undefined) peers.add(peer);
      else {
        watched.set(of, new Set([peer]));
        if (!isClosed && !watchedKeys.has(of)) openWatch();
      }
      return () => remove(of, peer);
    },
    close: async () => {
      isClosed = true;
      beats.stop();
      watched.clear();
      if (watch !== null) leave(watch);
      await Promise.all(leaving);
    },
  };
}

/** Writes a beat now and at each interval, one at a time. */
function startBeats(
  { jetstream }: Pick<Servers, 'jetstream'>,
  { key, describe }: { readonly key: string; readonly describe: () => object },
): Pick<Presence, 'lastStoredMs'> & { stop(): void } {
  let lastStoredMs = performance.now();
  let isBeating = false;
  const beat = async () => {
    if (isBeating) return;
    isBeating = true;
    const sentMs = performance.now();
    try {
      await jetstream.publish(subjects.beat(key), JSON.stringify({ ...describe(), sentMs }));
      lastStoredMs = sentMs;
    } catch {
      // The servers cannot be reached: the next beat tries again.
    }
    isBeating = false;
  };
  const timer = setInterval(() => void beat(), BEAT_MS);
  timer.unref();
  void beat();
  return {
    get lastStoredMs() {
      return lastStoredMs;
    },
    stop: () => clearInterval(timer),
  };
}
