import type { ProcessIdentity } from '../../../src/spawn/tree/identity.ts';
import type { ProcessEntry, ProcessTable } from '../../../src/spawn/tree/process-table.ts';

/** Leader of its own group and session, with pid 100. */
export const leaderIdentity: ProcessIdentity = {
  pid: 100,
  pgid: 100,
  sid: 100,
  startedAt: 'start-100',
  bootId: 'boot',
  pidNamespace: 'pid:[1]',
  cookie: '/tool_a/',
};

/** Creates an entry, by default in the leader's group and session. */
export function entry(pid: number, fields: Partial<ProcessEntry> = {}): ProcessEntry {
  return {
    pid,
    ppid: 1,
    pgid: 100,
    sid: 100,
    startedAt: `start-${pid}`,
    alive: true,
    stopped: false,
    blocked: false,
    command: `program ${pid}`,
    ...fields,
  };
}

/** Process table that a test writes itself; `carriers` are pids. */
export function createFakeTable(content: { entries: ProcessEntry[]; carriers: number[] }): ProcessTable {
  const read = (pid: number): ProcessEntry | null => content.entries.find((each) => each.pid === pid) ?? null;
  return {
    read: async (pid) => read(pid),
    readAll: async (pids) => pids.flatMap((pid) => read(pid) ?? []),
    list: async () => content.entries,
    listSince: async (elder) =>
      content.entries.filter(({ pid, startedAt }) => pid !== elder.pid || startedAt !== elder.startedAt),
    filterCarriers: async (_cookie, entries) => entries.filter(({ pid }) => content.carriers.includes(pid)),
    filterForeign: async () => [],
    filterUntraceable: async () => [],
    scope: async () => ({ bootId: 'boot', pidNamespace: 'pid:[1]' }),
  };
}
