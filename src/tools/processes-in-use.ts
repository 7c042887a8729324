/** The processes that running calls are about to answer for, so that no notice tells the same in between. */
export interface ProcessesInUse {
  has(processId: string): boolean;
  /** Opens a call. */
  open(): { add(processId: string): void; close(): void };
}

export function trackProcesses(): ProcessesInUse {
  const calls = new Set<ReadonlySet<string>>();
  return {
    has: (processId) => [...calls].some((call) => call.has(processId)),
    open: () => {
      const used = new Set<string>();
      calls.add(used);
      return { add: (processId) => void used.add(processId), close: () => void calls.delete(used) };
    },
  };
}
