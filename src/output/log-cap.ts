import type { Cancel, Clock } from '../clock/clock.ts';
import { cutLog } from './cut-log.ts';
import type { MakeRoom } from './make-room.ts';
import { punchHole } from './punch-hole.ts';
import type { TailedFile } from './tailed-file.ts';

/** The first that can work here is used. */
export const waysToMakeRoom: readonly MakeRoom[] =
  process.platform === 'linux' ? [punchHole, cutLog] : [cutLog];

const longestPauseMs = 1_000;
const shortestPauseMs = 50;
/** Until the next look the log may fill this part of what is left. */
const boldness = 0.5;
const blockBytes = 512;

/**
 * Looks from time to time, the more often the faster the file grows, and makes room when it takes more than `maxBytes` of the disk. In
 * between it may be larger, and it is while nobody looks. Keeps nothing alive.
 */
export function capLog(options: {
  file: TailedFile;
  statusPath: string;
  maxBytes: number;
  clock: Clock;
  ways?: readonly MakeRoom[];
  /** Told why the log is larger than its cap: for good when no way works here, else until the next look; `null` once one has worked. */
  onTrouble: (error: unknown) => void;
}): Cancel {
  const { file, statusPath, maxBytes, clock } = options;
  let ways = options.ways ?? waysToMakeRoom;
  let last = { atMs: clock.nowMs(), bytes: file.stat()?.size ?? 0 };
  let over = false;
  let isInTrouble = false;
  let cancelTimer: Cancel = () => {};

  async function look(): Promise<void> {
    const stats = file.stat();
    if (stats !== null && stats.blocks * blockBytes > maxBytes) await makeRoom();
    if (over || ways.length === 0) return;
    const pauseMs = nextPauseMs(stats);
    lookLater(isInTrouble ? longestPauseMs : pauseMs);
  }

  async function makeRoom(): Promise<void> {
    const [way] = ways;
    if (way === undefined) return;
    try {
      await way({
        file,
        statusPath,
        keepHeadBytes: Math.floor(maxBytes / 16),
        keepTailBytes: Math.ceil(maxBytes / 8),
      });
      if (isInTrouble) options.onTrouble(null);
      isInTrouble = false;
    } catch (error) {
      if (isImpossible(error)) ways = ways.slice(1);
      if (ways.length > 0 && isImpossible(error)) return over ? undefined : makeRoom();
      isInTrouble = true;
      options.onTrouble(error);
    }
  }

  function nextPauseMs(stats: { size: number; blocks: number } | null): number {
    const now = { atMs: clock.nowMs(), bytes: stats?.size ?? 0 };
    const bytesPerMs = (now.bytes - last.bytes) / Math.max(1, now.atMs - last.atMs);
    last = now;
    const roomBytes = Math.max(0, maxBytes - (stats?.blocks ?? 0) * blockBytes);
    const fullInMs = bytesPerMs <= 0 ? Number.POSITIVE_INFINITY : roomBytes / bytesPerMs;
    return Math.min(longestPauseMs, Math.max(shortestPauseMs, fullInMs * boldness));
  }

  function lookLater(pauseMs: number): void {
    cancelTimer = clock.at(clock.nowMs() + pauseMs, () => void look(), { idle: true });
  }

  lookLater(longestPauseMs);
  return () => {
    over = true;
    cancelTimer();
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
