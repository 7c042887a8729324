import { join } from 'node:path';
import { readProcText } from '../tree/proc-entry.ts';

/** Figures of all processes that are or were in a cgroup. Those whose controller the cgroup has not are `null`. */
interface CgroupUsage {
  readonly cpuMs: number | null;
  readonly memoryBytes: number | null;
  readonly peakMemoryBytes: number | null;
  readonly readBytes: number | null;
  readonly writtenBytes: number | null;
  /** Number of its processes that the kernel killed for want of memory. */
  readonly oomKills: number;
}

/** Reads the figures of a cgroup; all are `null` if it does not exist. */
export function readCgroupUsage(path: string): CgroupUsage {
  const usageUs = readField(path, { file: 'cpu.stat', name: 'usage_usec' });
  const disks = tryRead(path, 'io.stat');
  return {
    cpuMs: usageUs === null ? null : Math.round(usageUs / 1_000),
    memoryBytes: readNumber(path, 'memory.current'),
    peakMemoryBytes: readNumber(path, 'memory.peak'),
    readBytes: disks === null ? null : sumOf(disks, 'rbytes'),
    writtenBytes: disks === null ? null : sumOf(disks, 'wbytes'),
    oomKills: readField(path, { file: 'memory.events', name: 'oom_kill' }) ?? 0,
  };
}

function readField(path: string, { file, name }: { file: string; name: string }): number | null {
  const value = new RegExp(`^${name} (\\d+)$`, 'm').exec(tryRead(path, file) ?? '')?.[1];
  return value === undefined ? null : Number(value);
}

function readNumber(path: string, file: string): number | null {
  const text = tryRead(path, file)?.trim() ?? '';
  return /^\d+$/.test(text) ? Number(text) : null;
}

/** Adds up a key of the lines of `io.stat`, one for each disk. */
function sumOf(text: string, key: string): number {
  return [...text.matchAll(new RegExp(`\\b${key}=(\\d+)`, 'g'))].reduce(
    (sum, [, value]) => sum + Number(value),
    0,
  );
}

function tryRead(path: string, file: string): string | null {
  try {
    return readProcText(join(path, file));
  } catch {
    // Removed after it was opened.
    return null;
  }
}
