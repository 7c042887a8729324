import { TroupeError } from '../../config/troupe-error.ts';
import { createProcTable } from './proc-table.ts';
import type { ProcessTable } from './process-table.ts';
import { createPsTable } from './ps-table.ts';

/** Creates the process table of this machine. Throws `unsupported-platform` where troupe cannot end a tree. */
export function createCurrentTable(platform: NodeJS.Platform = process.platform): ProcessTable {
  if (platform === 'linux') return createProcTable();
  if (platform === 'darwin') return createPsTable();
  throw new TroupeError({
    code: 'unsupported-platform',
    message: `troupe runs processes on Linux and macOS, not on ${platform}. On Windows use it inside WSL.`,
  });
}
