import { readlinkSync } from 'node:fs';
import { readProcText } from './proc-entry.ts';
import type { TableScope } from './process-table.ts';

/** Where pids mean anything for this program, as `/proc` tells it at once; all `null` on macOS, where only a program would. */
export function readTableScope(): TableScope {
  return {
    bootId: readProcText('/proc/sys/kernel/random/boot_id')?.trim() ?? null,
    pidNamespace: readPidNamespace(),
  };
}

function readPidNamespace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
