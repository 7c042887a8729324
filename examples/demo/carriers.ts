import { createCurrentTable } from '../../src/spawn/tree/current-table.ts';

/**
 * Finds the pids of all living processes whose environment names `id` among their ancestors: what troupe started, and what that started in
 * turn. Asks the operating system, not the supervisor.
 */
export async function findCarriers(id: string): Promise<readonly number[]> {
  const table = createCurrentTable();
  const carriers = await table.filterCarriers(`/${id}/`, await table.list());
  return carriers.filter(({ alive }) => alive).map(({ pid }) => pid);
}
