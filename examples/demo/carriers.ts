import { readdirSync, readFileSync } from 'node:fs';
import { createCurrentTable } from '../../src/spawn/tree/current-table.ts';

/**
 * The pids of all living processes whose environment names `id` among their ancestors: what troupe started, and whatever that
 * started in turn. On Linux read from /proc, with no code of troupe in between.
 */
export async function findCarriers(id: string): Promise<readonly number[]> {
  const cookie = `/${id}/`;
  if (process.platform === 'linux') {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && isAlive(name) && hasLineage(name, cookie))
      .map(Number);
  }
  const table = createCurrentTable();
  const carriers = await table.filterCarriers(cookie, await table.list());
  return carriers.filter(({ alive }) => alive).map(({ pid }) => pid);
}

function hasLineage(pid: string, cookie: string): boolean {
  const variables = readOrEmpty(`/proc/${pid}/environ`).split('\0');
  return variables.some((variable) => variable.startsWith('TROUPE_LINEAGE=') && variable.includes(cookie));
}

/** The state in proc_pid_stat(5) stands after the last bracket; a zombie is dead. */
function isAlive(pid: string): boolean {
  const text = readOrEmpty(`/proc/${pid}/stat`);
  const state = text.slice(text.lastIndexOf(')') + 2)[0];
  return state !== undefined && state !== 'Z' && state !== 'X';
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
