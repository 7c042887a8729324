import { statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { appendPrivateFile } from '../store/private-files.ts';
import { toNotice } from './log-cap.ts';
import { toFullLine } from './log-map.ts';
import type { OutputDegradation } from './output-store.ts';

/** Size of a block: with less free, a process that appends to its log gets ENOSPC. */
const fullBytes = 4096;

/**
 * Returns the bytes that this user may still write to the file system of a path; Infinity if the system does
 * not say. Quotas are not considered.
 */
export function readFreeBytes(path: string): number {
  try {
    const { bavail, bfree, bsize } = statfsSync(dirname(path));
    return (process.geteuid?.() === 0 ? bfree : bavail) * bsize;
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

export const diskFullDegradation: OutputDegradation = {
  what: 'the disk was full',
  error: 'output that the process could not write may be missing; the amount is unknown',
  missingBytes: 0,
};

/** Records that the disk of a log was full while its process wrote there. */
interface DiskFullRecorder {
  observe(now: { readonly freeBytes: number; readonly logBytes: number }): void;
}

/**
 * Appends a note about the full disk to the status file, which usually has room in its last block, and, once
 * there is room, to the log where output may be missing. The amount is unknown, since the writes of the
 * process itself failed.
 */
export function createDiskFullRecorder({
  logPath,
  statusPath,
}: {
  readonly logPath: string;
  readonly statusPath: string;
}): DiskFullRecorder {
  let fullAt: number | null = null;
  let isNoted = false;

  function tryToAppend(path: string, text: string): boolean {
    try {
      appendPrivateFile(path, text);
      return true;
    } catch {
      return false;
    }
  }

  return {
    observe: ({ freeBytes, logBytes }) => {
      if (freeBytes < fullBytes) fullAt ??= logBytes;
      if (fullAt === null) return;
      isNoted ||= tryToAppend(statusPath, toFullLine(fullAt));
      if (freeBytes < fullBytes || !tryToAppend(logPath, mark)) return;
      fullAt = isNoted ? null : fullAt;
      isNoted = false;
    },
  };
}

const mark = toNotice('the disk was full here: output that the process could not write may be missing');
