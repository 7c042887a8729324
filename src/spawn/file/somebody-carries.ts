import { toCookie } from '../environment.ts';
import type { ProcessTable } from '../tree/process-table.ts';

/** Whether anybody alive was started as that process or by it. Reads the whole process table. */
export async function somebodyCarries(table: ProcessTable, id: string): Promise<boolean> {
  return (await table.carrying(toCookie(id), await table.list())).length > 0;
}
