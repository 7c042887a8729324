import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/**
 * Descriptors held in reserve for operations that must succeed even when no other is free: finding, signalling and recording
 * processes. Starts are refused before the last ones are taken. Kept per program, because descriptors belong to the program and
 * not to a supervisor.
 */
const reserve: number[] = [];
let reserveUsers = 0;
let limit: number | null = null;

/** Size of the reserve: reading `/proc` and writing a record take one or two at a time. */
const heldCount = 4;
/**
 * Descriptors kept free beside the reserve: for the control socket, its clients, the watchdog and the host program; fewer where
 * the limit is low.
 */
const maxFreeCount = 24;
/** Descriptors of one start: two pipes with an anchor each, a stdin, and for a moment those of `fork`. */
const startCount = 8;

/**
 * Returns why a start would take a descriptor that running processes need, as a clause; `null` where there is room, or the system
 * does not say.
 */
export function findDescriptorShortage(): string | null {
  limit ??= readLimit();
  if (limit === Number.POSITIVE_INFINITY) return null;
  const used = countUsed();
  // Each running process may still open its log.
  const needed = startCount + reserveUsers + Math.min(maxFreeCount, Math.floor(limit / 8));
  if (used === null || used + needed <= limit) return null;
  return `${used} of the ${limit} files that this program may open are open, and the others are reserved for ending and recording running processes`;
}

/** Holds the reserve for a running process until the result is called. */
export function holdReserve(): () => void {
  reserveUsers += 1;
  fillReserve();
  let isHeld = true;
  return () => {
    if (!isHeld) return;
    isHeld = false;
    reserveUsers -= 1;
    if (reserveUsers === 0) closeReserve();
  };
}

/** Executes an operation that must succeed even when no other descriptor is free. Descriptors that `act` opens must be closed soon. */
export function withReserve<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    if (reserve.length === 0 || !isShortage(error)) throw error;
  }
  closeReserve();
  try {
    return act();
  } finally {
    fillReserve();
  }
}

function isShortage(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EMFILE' || code === 'ENFILE';
}

function fillReserve(): void {
  try {
    while (reserveUsers > 0 && reserve.length < heldCount) reserve.push(openSync('/dev/null', 'r'));
  } catch {
    // None is left now; the next call tries again.
  }
}

function closeReserve(): void {
  for (const descriptor of reserve.splice(0)) closeSync(descriptor);
}

/** Reads the limit, which Node has raised to its maximum. Readable on Linux only. */
function readLimit(): number {
  try {
    const [, soft] = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Counts the open descriptors: 0.1 ms for a thousand. */
function countUsed(): number | null {
  try {
    return withReserve(() => readdirSync('/proc/self/fd')).length;
  } catch {
    return null;
  }
}
