import { readlinkSync } from 'node:fs';
import { runSync } from '../start-child.ts';
import { readProcText } from './proc-entry.ts';
import type { TableScope } from './process-table.ts';

/** Limit for a program that answers in a few milliseconds. */
const SYSCTL_MS = 5_000;

/** Reads the scope in which pids are valid for this program. macOS has no pid namespaces, and a program that tells the boot. */
export function readTableScope(platform: NodeJS.Platform = process.platform): TableScope {
  return {
    bootId:
      readProcText('/proc/sys/kernel/random/boot_id')?.trim() ??
      (platform === 'darwin' ? askBootSession() : null),
    pidNamespace: readPidNamespace(),
  };
}

/** Asks for the boot session: a few milliseconds, once per supervisor. */
function askBootSession(): string | null {
  const { stdout } = runSync('sysctl', ['-n', 'kern.bootsessionuuid'], { timeout: SYSCTL_MS });
  return stdout?.trim() || null;
}

function readPidNamespace(): string | null {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}
