import type { ProcessEntry, ProcessTable } from '../tree/process-table.ts';

/**
 * A table in which nobody is taken for a descendant who only launched: it carries the cookie as well and may have begun in the
 * same tick, but must not be signalled with the tree, since it records the end, nor be called a leftover; the same goes for what it
 * starts beside the leader, who is known without the table.
 */
export function withoutLauncher(table: ProcessTable, launcherPid: number | null): ProcessTable {
  if (launcherPid === null) return table;
  const others = (entries: readonly ProcessEntry[]) =>
    entries.filter(({ pid, ppid }) => pid !== launcherPid && ppid !== launcherPid);
  return {
    ...table,
    list: async () => others(await table.list()),
    since: async (elder, isStranger) => others(await table.since(elder, isStranger)),
  };
}
