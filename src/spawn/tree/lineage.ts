import { setImmediate, setTimeout } from 'node:timers/promises';
import { LINEAGE } from '../environment.ts';
import { readProcText, readStatLine } from './proc-entry.ts';
import type { ProcessEntry } from './process-table.ts';

/**
 * Number of readings of a process in the middle of `execve`: first at once, as that lasts some 0.1 ms, then every millisecond, as
 * on a busy machine it may wait for a processor.
 */
const maxReadings = 300;
const maxReadingsAtOnce = 20;

/** Reads the lineage with which a program was started; empty without one, or where it may not be read. */
export async function readLineage(entry: ProcessEntry): Promise<string> {
  for (let reading = 0; reading < maxReadings; reading += 1) {
    const text = readProcText(`/proc/${entry.pid}/environ`);
    if (text === null) return '';
    // Copied, because a slice keeps the whole environment in memory.
    if (text !== '') return Buffer.from(lineageIn(text)).toString();
    const line = readStatLine(entry.pid);
    if (line === null || !line.alive || line.kernelThread || line.startTicks !== entry.startedAt) return '';
    if (line.environmentIsEmpty) return '';
    await (reading < maxReadingsAtOnce ? setImmediate() : setTimeout(1));
  }
  return '';
}

/** Finds the lineage in the text of `/proc/<pid>/environ`, in which each variable ends with a NUL. */
export function lineageIn(environment: string): string {
  const name = `${LINEAGE}=`;
  const start = environment.startsWith(name) ? 0 : environment.indexOf(`\0${name}`) + 1;
  if (start === 0 && !environment.startsWith(name)) return '';
  const end = environment.indexOf('\0', start);
  return environment.slice(start + name.length, end === -1 ? undefined : end);
}
