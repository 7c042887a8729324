/** Facts from which the pids assigned since a start are derived. */
interface AllocationFacts {
  /** Start of the process in clock ticks after boot. */
  readonly startTicks: number;
  /** Current time on the same clock. */
  readonly nowTicks: number;
  readonly pidMax: number;
  /** Pids in use, which the allocator skips. */
  readonly threadCount: number;
  readonly cpuCount: number;
}

/** USER_HZ: fixed at 100 in the kernel's interface on every machine Node runs on. */
export const ticksPerSecond = 100;

/** Lowest pid of the allocator after its first round (RESERVED_PIDS). */
const reservedPids = 300;

/**
 * Upper bound of the pids a kernel assigns in a millisecond. One pid is one `copy_process`, of at least 10 µs of a processor even
 * when it fails late, and all of them take turns at one lock, which has not been seen to pass half a million times a second.
 */
const maxPerMsOfOneCpu = 100;
const maxPerMs = 1000;

/**
 * Tells whether Linux cannot have assigned all its pids since the process began, so that every younger process has a pid between
 * the process's own and the last one assigned: pids are assigned in a circle. True for the first 150 ms of a life with 32 768
 * pids and two processors, for the first 4 s with the usual four millions.
 */
export function cannotHaveWrapped(facts: AllocationFacts): boolean {
  const elapsedMs = ((facts.nowTicks - facts.startTicks + 1) / ticksPerSecond) * 1000;
  const freeNumbers = facts.pidMax - reservedPids - facts.threadCount;
  return elapsedMs * Math.min(maxPerMs, maxPerMsOfOneCpu * facts.cpuCount) < freeNumbers;
}

/** Interval on the circle of pids: after `after`, up to and including `last`. */
export interface PidRange {
  readonly after: number;
  readonly last: number;
  readonly pidMax: number;
}

export function isInRange(pid: number, { after, last }: PidRange): boolean {
  return last >= after ? pid > after && pid <= last : pid > after || pid <= last;
}

export function countPids({ after, last, pidMax }: PidRange): number {
  return last >= after ? last - after : pidMax - after + last;
}

export function* iteratePids({ after, last, pidMax }: PidRange): Generator<number> {
  if (last < after) {
    for (let pid = after + 1; pid < pidMax; pid += 1) yield pid;
    for (let pid = 1; pid <= last; pid += 1) yield pid;
    return;
  }
  for (let pid = after + 1; pid <= last; pid += 1) yield pid;
}
