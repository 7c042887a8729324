import { setTimeout } from 'node:timers/promises';
import { createCurrentTable } from '../spawn/tree/current-table.ts';
import type { ProcessEntry } from '../spawn/tree/process-table.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';

/** Options of `expectNoSurvivors`. */
export interface SurvivorOptions {
  /** Time in milliseconds that dying processes have until they count as survivors. Default 2 000. */
  readonly withinMs?: number;
}

/**
 * Resolves if no process that one of `supervisors` started is alive, at any depth. Reads the process table of the operating system, not
 * the lists of the supervisors: descendants are found by the lineage in their environment, also after a double fork or in a new
 * session. A program that clears its environment is not found. For the end of a suite, after `shutdown`. Signals nothing.
 *
 * @throws Error with pid and command of each survivor.
 */
export async function expectNoSurvivors(
  supervisors: Supervisor | readonly Supervisor[],
  { withinMs = 2_000 }: SurvivorOptions = {},
): Promise<void> {
  const ids = [supervisors].flat().map(({ id }) => id);
  if (ids.length === 0)
    throw new Error('expectNoSurvivors: no supervisor was passed, so nothing was checked.');
  const giveUpAtMs = performance.now() + withinMs;
  for (;;) {
    const alive = await findCarriers(ids);
    if (alive.length === 0) return;
    if (performance.now() > giveUpAtMs) throw new Error(describe(alive));
    await setTimeout(10);
  }
}

async function findCarriers(ids: readonly string[]): Promise<readonly ProcessEntry[]> {
  const table = createCurrentTable();
  const entries = await table.list();
  const found = await Promise.all(ids.map((id) => table.filterCarriers(`/${id}/`, entries)));
  return found.flat();
}

function describe(alive: readonly ProcessEntry[]): string {
  const list = alive.map(({ pid, command }) => `  ${pid}  ${command}`).join('\n');
  const count = alive.length === 1 ? '1 process is' : `${alive.length} processes are`;
  return `${count} still alive:\n${list}\nKill them, or wait for \`supervisor.shutdown()\` before this check.`;
}
