import type { Cancel, Clock } from '../clock/clock.ts';
import { createDiskFullRecorder, readFreeBytes } from './full-disk.ts';
import type { TailedFile } from './tailed-file.ts';
import { copyTailAndTruncate, punchHole, type TruncateLog } from './truncate-log.ts';

/** The first that can work here is used. */
const truncationStrategies: readonly TruncateLog[] =
  process.platform === 'linux' ? [punchHole, copyTailAndTruncate] : [copyTailAndTruncate];

const longestPauseMs = 1_000;
const shortestPauseMs = 50;
/** Until the next look the log may fill this part of what is left. */
const fillFraction = 0.5;
const blockBytes = 512;
/** Lines are written, and holes begin and end, at blocks of the file system. */
const slackBytes = 2 * 4096;

/** With less free, a long log gives its middle to the disk before its cap is reached: its process gets the write errors otherwise. */
const reserveBytes = 8 * 1024 * 1024;
/** So much of it stays then. */
const leastHeadBytes = 64 * 1024;
const leastTailBytes = 128 * 1024;

type KeptSizes = Pick<Parameters<TruncateLog>[0], 'keepHeadBytes' | 'keepTailBytes'>;

export interface LogCap {
  readonly cancel: Cancel;
  /** Looks for the last time, and leaves as much as the cap allows. Never rejects. */
  finish(): Promise<void>;
}

/**
 * Looks from time to time, the more often the faster the file grows, and makes room when it takes more than `maxBytes` of the disk, or
 * when the disk is nearly full. In between it may be larger, and it is while no supervisor looks. Writes down that the disk was full.
 * Keeps nothing alive.
 */
export function capLog(options: {
  file: TailedFile;
  statusPath: string;
  maxBytes: number;
  clock: Clock;
  ways?: readonly TruncateLog[];
  /** Told why the log is larger than its cap: for good when no way works here, else until the next look; `null` once one has worked. */
  onTrouble: (error: unknown) => void;
  /** Told how long the log is, at each look. */
  onLook: (bytes: number) => void;
  /** Told when the log was made smaller because of the disk. */
  onShortened: () => void;
}): LogCap {
  const { file, statusPath, maxBytes, clock } = options;
  const fullDisk = createDiskFullRecorder({ logPath: file.path, statusPath });
  let ways = options.ways ?? truncationStrategies;
  let last = { atMs: clock.nowMs(), bytes: file.stat()?.size ?? 0 };
  let over = false;
  let isInTrouble = false;
  let cancelTimer: Cancel = () => {};
  let checking: Promise<void> = Promise.resolve();

  async function check(isLast: boolean): Promise<void> {
    const stats = file.stat();
    if (stats !== null) {
      const free = readFreeBytes(file.path);
      const bytes = file.bytes();
      options.onLook(bytes);
      fullDisk.observe({ freeBytes: free, logBytes: bytes });
      const diskBytes = stats.blocks * blockBytes;
      const isLarge = diskBytes > maxBytes;
      if (isLarge) await truncateLog(isLast ? keptAtEnd() : keptWhileGrowing());
      else if (!isLast && isTooLarge({ diskBytes, free })) {
        if (await truncateLog(keptOnFullDisk())) options.onShortened();
      }
      fullDisk.observe({ freeBytes: readFreeBytes(file.path), logBytes: file.bytes() });
    }
    if (!over) scheduleCheck(isInTrouble ? longestPauseMs : nextPauseMs(stats));
  }

  function keptWhileGrowing(): KeptSizes {
    return { keepHeadBytes: Math.floor(maxBytes / 16), keepTailBytes: Math.ceil(maxBytes / 8) };
  }

  /** It grows no more. */
  function keptAtEnd(): KeptSizes {
    const { keepHeadBytes, keepTailBytes } = keptWhileGrowing();
    return {
      keepHeadBytes,
      keepTailBytes: Math.max(keepTailBytes, maxBytes - keepHeadBytes - slackBytes),
    };
  }

  function keptOnFullDisk(): KeptSizes {
    const { keepHeadBytes, keepTailBytes } = keptWhileGrowing();
    return {
      keepHeadBytes: Math.min(keepHeadBytes, leastHeadBytes),
      keepTailBytes: Math.min(keepTailBytes, leastTailBytes),
    };
  }

  /** For the disk as it is. Twice as much as would stay, so that not every look takes a little. */
  function isTooLarge({ diskBytes, free }: { diskBytes: number; free: number }): boolean {
    const { keepHeadBytes, keepTailBytes } = keptOnFullDisk();
    return free < reserveBytes && diskBytes > 2 * (keepHeadBytes + keepTailBytes);
  }

  async function truncateLog(keep: KeptSizes): Promise<boolean> {
    const [way] = ways;
    if (way === undefined) return false;
    try {
      await way({ file, statusPath, ...keep });
      if (isInTrouble) options.onTrouble(null);
      isInTrouble = false;
      return true;
    } catch (error) {
      if (isImpossible(error)) ways = ways.slice(1);
      if (ways.length > 0 && isImpossible(error)) return truncateLog(keep);
      isInTrouble = true;
      options.onTrouble(error);
      return false;
    }
  }

  function nextPauseMs(stats: { size: number; blocks: number } | null): number {
    const now = { atMs: clock.nowMs(), bytes: stats?.size ?? 0 };
    const bytesPerMs = (now.bytes - last.bytes) / Math.max(1, now.atMs - last.atMs);
    last = now;
    const free = readFreeBytes(file.path);
    if (free < reserveBytes) return shortestPauseMs;
    const roomBytes = Math.max(0, maxBytes - (stats?.blocks ?? 0) * blockBytes);
    const fullInMs = bytesPerMs <= 0 ? Number.POSITIVE_INFINITY : Math.min(roomBytes, free) / bytesPerMs;
    return Math.min(longestPauseMs, Math.max(shortestPauseMs, fullInMs * fillFraction));
  }

  function scheduleCheck(pauseMs: number): void {
    cancelTimer = clock.at(
      clock.nowMs() + pauseMs,
      () => {
        checking = check(false);
      },
      { idle: true },
    );
  }

  function cancel(): void {
    over = true;
    cancelTimer();
  }

  options.onLook(file.bytes());
  scheduleCheck(readFreeBytes(file.path) < reserveBytes ? shortestPauseMs : longestPauseMs);
  return {
    cancel,
    finish: async () => {
      cancel();
      await checking;
      await check(true);
    },
  };
}

/** This way never works here. Anything else may pass: no descriptor, no process, no space just now. */
function isImpossible(error: unknown): boolean {
  const { code, syscall, stderr } = error as NodeJS.ErrnoException & { stderr?: unknown };
  if (code === 'EOPNOTSUPP' || code === 'ENOTSUP' || code === 'ENOSYS') return true;
  if (syscall?.startsWith('spawn') === true) return code === 'ENOENT' || code === 'EACCES';
  return typeof stderr === 'string' && cannot.test(stderr);
}

/** What `fallocate` says in the C locale, of the file system or, where it is another program of that name, of its options. */
const cannot = /not supported|unsupported|not implemented|unrecognized option|invalid option|unknown option/i;
