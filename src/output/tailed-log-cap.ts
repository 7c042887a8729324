import type { Cancel, Clock } from '../clock/clock.ts';
import { createDiskFullRecorder, readFreeBytes } from './full-disk.ts';
import { headBytesOf, tailBytesOf } from './log-cap.ts';
import type { TailedFile } from './tailed-file.ts';
import { copyTailAndTruncate, punchHole, type TruncateLog } from './truncate-log.ts';

/** Strategies in order of preference; the first one that works here is used. */
const truncationStrategies: readonly TruncateLog[] =
  process.platform === 'linux' ? [punchHole, copyTailAndTruncate] : [copyTailAndTruncate];

const heldError = new Error('a reader of the output has not reached its end');

const longestPauseMs = 1_000;
const shortestPauseMs = 50;
/** Fraction of the remaining room that the log may fill until the next check. */
const fillFraction = 0.5;
const blockBytes = 512;
/** Lines are written, and holes begin and end, at file system blocks. */
const slackBytes = 2 * 4096;

/**
 * Disk space below which a long log loses its middle before reaching its cap, because its process would get
 * write errors otherwise.
 */
const reserveBytes = 8 * 1024 * 1024;
/** Minimum kept in that case. */
const minHeadBytes = 64 * 1024;
const minTailBytes = 128 * 1024;

type KeptSizes = Pick<Parameters<TruncateLog>[0], 'keepHeadBytes' | 'keepTailBytes'>;

/**
 * Checks the log periodically, more often the faster it grows, and truncates it when it takes more than
 * `maxBytes` on disk or the disk is nearly full. The log may be larger between checks and while no supervisor
 * runs. Records a full disk. Keeps nothing alive. Returns a function that checks for the last time and keeps as much
 * as the cap allows; it never rejects.
 */
export function capLog(options: {
  file: TailedFile;
  statusPath: string;
  maxBytes: number;
  clock: Clock;
  strategies?: readonly TruncateLog[];
  /** Returns the offset from which on nothing may be removed; Infinity where everything may. */
  neededOffset?: () => number;
  /**
   * Receives why the log exceeds its cap: permanently if no strategy works here, else until the next check;
   * `null` once truncation has worked.
   */
  onProblem: (error: unknown) => void;
  /** Receives the length of the log at each check. */
  onCheck: (bytes: number) => void;
  /** Called when the log was shortened because of the disk. */
  onShortened: () => void;
}): () => Promise<void> {
  const { file, statusPath, maxBytes, clock } = options;
  const fullDisk = createDiskFullRecorder({ logPath: file.path, statusPath });
  let strategies = options.strategies ?? truncationStrategies;
  let last = { atMs: clock.nowMs(), bytes: file.stat()?.size ?? 0 };
  let isOver = false;
  let hasProblem = false;
  let cancelTimer: Cancel = () => {};
  let checking: Promise<void> = Promise.resolve();

  async function check(isLast: boolean): Promise<void> {
    const stats = file.stat();
    if (stats !== null) {
      const free = readFreeBytes(file.path);
      const bytes = file.bytes();
      options.onCheck(bytes);
      fullDisk.observe({ freeBytes: free, logBytes: bytes });
      const diskBytes = stats.blocks * blockBytes;
      const isLarge = diskBytes > maxBytes;
      if (isLarge) await truncateLog(isLast ? keptAtEnd(maxBytes) : keptWhileGrowing(maxBytes));
      else if (!isLast && isTooLarge({ diskBytes, free, kept: keptOnFullDisk(maxBytes) })) {
        if (await truncateLog(keptOnFullDisk(maxBytes))) options.onShortened();
      }
      fullDisk.observe({ freeBytes: readFreeBytes(file.path), logBytes: file.bytes() });
    }
    if (!isOver) scheduleCheck(hasProblem ? longestPauseMs : nextPauseMs(stats));
  }

  async function truncateLog(keep: KeptSizes): Promise<boolean> {
    const neededFrom = options.neededOffset?.() ?? Number.POSITIVE_INFINITY;
    const [strategy] = strategies;
    if (strategy === undefined) return false;
    try {
      // Truncating always loses what is written meanwhile.
      if (strategy === copyTailAndTruncate && neededFrom !== Number.POSITIVE_INFINITY) throw heldError;
      await strategy({ file, statusPath, neededFrom, ...keep });
      if (hasProblem) options.onProblem(null);
      hasProblem = false;
      return true;
    } catch (error) {
      if (isImpossible(error)) strategies = strategies.slice(1);
      if (strategies.length > 0 && isImpossible(error)) return truncateLog(keep);
      hasProblem = true;
      options.onProblem(error);
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

  options.onCheck(file.bytes());
  scheduleCheck(readFreeBytes(file.path) < reserveBytes ? shortestPauseMs : longestPauseMs);
  return async () => {
    isOver = true;
    cancelTimer();
    await checking;
    await check(true);
  };
}

function keptWhileGrowing(maxBytes: number): KeptSizes {
  return { keepHeadBytes: headBytesOf(maxBytes), keepTailBytes: tailBytesOf(maxBytes) };
}

/** Keeps more, since the log no longer grows. */
function keptAtEnd(maxBytes: number): KeptSizes {
  const { keepHeadBytes, keepTailBytes } = keptWhileGrowing(maxBytes);
  return { keepHeadBytes, keepTailBytes: Math.max(keepTailBytes, maxBytes - keepHeadBytes - slackBytes) };
}

function keptOnFullDisk(maxBytes: number): KeptSizes {
  const { keepHeadBytes, keepTailBytes } = keptWhileGrowing(maxBytes);
  return {
    keepHeadBytes: Math.min(keepHeadBytes, minHeadBytes),
    keepTailBytes: Math.min(keepTailBytes, minTailBytes),
  };
}

/** Compares with twice the amount that would stay, so that not every check truncates a little. */
function isTooLarge({
  diskBytes,
  free,
  kept,
}: {
  diskBytes: number;
  free: number;
  kept: KeptSizes;
}): boolean {
  return free < reserveBytes && diskBytes > 2 * (kept.keepHeadBytes + kept.keepTailBytes);
}

/** Returns true if the strategy never works here. Other errors may pass: no descriptor, no process, no space. */
function isImpossible(error: unknown): boolean {
  const { code, syscall, stderr } = error as NodeJS.ErrnoException & { stderr?: unknown };
  if (code === 'EOPNOTSUPP' || code === 'ENOTSUP' || code === 'ENOSYS') return true;
  if (syscall?.startsWith('spawn') === true) return code === 'ENOENT' || code === 'EACCES';
  return typeof stderr === 'string' && cannot.test(stderr);
}

/**
 * Messages of `fallocate` in the C locale about the file system or, for another program of that name, its
 * options.
 */
const cannot = /not supported|unsupported|not implemented|unrecognized option|invalid option|unknown option/i;
