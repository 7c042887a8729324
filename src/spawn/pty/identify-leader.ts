import { toCookie } from '../environment.ts';
import { identify, type ProcessIdentity } from '../tree/identity.ts';
import type { ProcessTable } from '../tree/process-table.ts';

/** Who leads in a terminal that was just made. Until it has left our session and group, a signal for its group would be one for ours. */
export async function identifyLeader(
  table: ProcessTable,
  leader: { readonly pid: number; readonly id: string; readonly hasExited: () => boolean },
): Promise<ProcessIdentity> {
  const { pid, id, hasExited } = leader;
  for (;;) {
    const found = await identify(table, { pid, id });
    if (found?.pgid === pid) return found;
    if (found === null || hasExited()) return unseenLeader(table, { pid, id });
    // It makes its own at once.
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Another thread collects its exit, perhaps before we could look. What it leaves behind began after us. */
async function unseenLeader(
  table: ProcessTable,
  { pid, id }: { pid: number; id: string },
): Promise<ProcessIdentity> {
  const ourselves = await identify(table, { pid: process.pid, id });
  const { bootId, pidNamespace } = await table.scope();
  const startedAt = ourselves?.startedAt ?? '0';
  return { pid, pgid: pid, sid: pid, startedAt, bootId, pidNamespace, cookie: toCookie(id) };
}
