import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { BEAT_MS, openPresence } from '../../src/spawn/remote/presence.ts';
import type { Servers } from '../../src/spawn/remote/servers.ts';

const OWN = 'asker.ann.1';
const PEER = 'worker.host.1';
const SILENT_MS = 5_000;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
});

interface Beat {
  readonly key: string;
  readonly value: Uint8Array;
  readonly revision: number;
}

/** The bucket of peers. It holds back what is written while it is out, as servers do that come back. */
function createBucket() {
  const beats: Beat[] = [];
  const watches = new Set<(beat: Beat) => void>();
  let isOut = false;
  let opened = 0;
  let held: (() => void)[] = [];
  const write = (key: string, text: string): void => {
    const beat = { key, value: Buffer.from(text), revision: beats.length + 1 };
    beats.push(beat);
    for (const tell of watches) tell(beat);
  };
  const watch = async ({
    key: keys,
    resumeFromRevision = beats.length + 1,
  }: {
    key: readonly string[];
    resumeFromRevision?: number;
  }) => {
    const waiting = beats.filter(({ key, revision }) => keys.includes(key) && revision >= resumeFromRevision);
    let wake = () => {};
    let isStopped = false;
    const tell = (beat: Beat) => {
      if (keys.includes(beat.key)) waiting.push(beat);
      wake();
    };
    watches.add(tell);
    opened += 1;
    const iterate = async function* () {
      while (!isStopped) {
        yield* waiting.splice(0);
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    };
    return Object.assign(iterate(), {
      stop: () => {
        isStopped = true;
        watches.delete(tell);
        wake();
      },
    });
  };
  const servers = {
    onReconnect: () => () => {},
    peers: { watch },
    jetstream: {
      publish: async (subject: string, text: string) => {
        if (isOut) await new Promise<void>((resolve) => held.push(resolve));
        write(subject.replace('$KV.troupe_peers.', ''), text);
        return { seq: beats.length };
      },
    },
  } as unknown as Servers;
  return {
    servers,
    write,
    count: () => beats.length,
    opened: () => opened,
    setOut: (out: boolean) => {
      isOut = out;
      if (out) return;
      for (const resolve of held) resolve();
      held = [];
    },
  };
}

function open(bucket: ReturnType<typeof createBucket>) {
  const presence = openPresence(bucket.servers, {
    key: OWN,
    describe: () => ({ running: 3 }),
    onError: (error) => {
      throw error;
    },
  });
  onTestFinished(async () => {
    await Promise.all([presence.close(), vi.advanceTimersByTimeAsync(1_000)]);
  });
  const silent: number[] = [];
  const begunMs = performance.now();
  const watch = () =>
    presence.onSilent(PEER, {
      silentMs: SILENT_MS,
      callback: () => silent.push(performance.now() - begunMs),
    });
  return { presence, silent, watch };
}

/** A peer that beats until it is stopped. */
function openPeer({ write }: ReturnType<typeof createBucket>): () => void {
  const timer = setInterval(() => write(PEER, '{}'), BEAT_MS);
  return () => clearInterval(timer);
}

test('a silent peer is reported once', async () => {
  const bucket = createBucket();
  const stop = openPeer(bucket);
  const { silent, watch } = open(bucket);
  watch();
  await vi.advanceTimersByTimeAsync(20_000);
  const early = [...silent];

  stop();
  await vi.advanceTimersByTimeAsync(60_000);

  expect(early).toEqual([]);
  expect(silent).toHaveLength(1);
  expect(silent[0]).toBeGreaterThan(20_000 + SILENT_MS - 2 * BEAT_MS);
  expect(silent[0]).toBeLessThan(20_000 + SILENT_MS + 3 * BEAT_MS);
});

test('a peer that was never heard is reported', async () => {
  const bucket = createBucket();
  const { silent, watch } = open(bucket);

  watch();
  await vi.advanceTimersByTimeAsync(SILENT_MS + 3 * BEAT_MS);

  expect(silent).toHaveLength(1);
});

test('a peer that returns needs no new watch', async () => {
  const bucket = createBucket();
  const stop = openPeer(bucket);
  const { silent, watch } = open(bucket);
  const cancel = watch();
  await vi.advanceTimersByTimeAsync(2_000);
  const opened = bucket.opened();

  cancel();
  await vi.advanceTimersByTimeAsync(2_000);
  watch();
  await vi.advanceTimersByTimeAsync(2_000);
  const openedLater = bucket.opened();
  stop();
  await vi.advanceTimersByTimeAsync(SILENT_MS + 3 * BEAT_MS);

  expect(openedLater).toBe(opened);
  expect(silent).toHaveLength(1);
});

test('no peer counts as silent during an outage of the servers', async () => {
  const bucket = createBucket();
  const stop = openPeer(bucket);
  const { silent, watch } = open(bucket);
  watch();
  await vi.advanceTimersByTimeAsync(2_000);
  stop();
  bucket.setOut(true);

  await vi.advanceTimersByTimeAsync(60_000);
  const during = [...silent];
  openPeer(bucket);
  bucket.setOut(false);
  await vi.advanceTimersByTimeAsync(60_000);

  expect(during).toEqual([]);
  expect(silent).toEqual([]);
});

test('beats of its own that come late all at once prove nothing', async () => {
  const bucket = createBucket();
  const { silent, watch } = open(bucket);
  watch();
  await vi.advanceTimersByTimeAsync(BEAT_MS);

  for (let count = 0; count < 100; count += 1)
    bucket.write(OWN, JSON.stringify({ sentMs: performance.now() - 10_000 }));
  await vi.advanceTimersByTimeAsync(BEAT_MS);

  expect(silent).toEqual([]);
});

test('a watch that was cancelled reports nothing', async () => {
  const bucket = createBucket();
  const { silent, watch } = open(bucket);
  const cancel = watch();
  watch();

  cancel();
  await vi.advanceTimersByTimeAsync(60_000);

  expect(silent).toHaveLength(1);
});

test('only stored beats count as stored', async () => {
  const bucket = createBucket();
  const { presence } = open(bucket);
  await vi.advanceTimersByTimeAsync(5_000);
  const before = presence.lastStoredMs;
  const ageBefore = performance.now() - before;

  bucket.setOut(true);
  await vi.advanceTimersByTimeAsync(30_000);
  const during = presence.lastStoredMs;
  bucket.setOut(false);
  await vi.advanceTimersByTimeAsync(2 * BEAT_MS);

  expect(ageBefore).toBeLessThanOrEqual(BEAT_MS);
  expect(during - before).toBeLessThanOrEqual(BEAT_MS);
  expect(performance.now() - presence.lastStoredMs).toBeLessThanOrEqual(BEAT_MS);
});

test('a closed presence beats no more', async () => {
  const bucket = createBucket();
  const { presence, silent, watch } = open(bucket);
  watch();
  await vi.advanceTimersByTimeAsync(2_000);

  await Promise.all([presence.close(), vi.advanceTimersByTimeAsync(1_000)]);
  const beats = bucket.count();
  await vi.advanceTimersByTimeAsync(60_000);

  expect(bucket.count()).toBe(beats);
  expect(silent).toEqual([]);
});
