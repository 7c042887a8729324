import { createRealClock } from '../src/clock/real-clock.ts';
import type { Backend, BackendPort, SpawnRequest, Work } from '../src/spawn/backend.ts';
import { createCurrentTable } from '../src/spawn/tree/current-table.ts';
import { createTreeRegistry } from '../src/spawn/tree/tree-registry.ts';

export const clock = createRealClock();

/** What a backend of processes stands on, without anybody who would end them. */
export const backendParts = () => ({
  table: createCurrentTable(),
  trees: createTreeRegistry({ prepare: () => {}, add: () => {}, remove: () => {}, exempt: () => {} }),
  reportError: console.error,
});

let count = 0;

/** From the start to the facts that it has exited and that no more output comes. */
export function runBackend(
  backend: Backend,
  { work, files, log }: { work: Work; files: SpawnRequest['files']; log: BackendPort['output'] },
): Promise<void> {
  count += 1;
  const id = `tool_bench${count}`;
  const env = { ...process.env, TROUPE_LINEAGE: `/sup_bench/${id}/` } as Record<string, string>;
  return new Promise((resolve, reject) => {
    const due = new Set(['process.exited', 'output.ended']);
    const cancel = backend.run({
      request: {
        id,
        attempt: 1,
        work,
        cwd: '/',
        env,
        stdin: 'end',
        files,
        outlives: false,
        terminal: null,
        limits: null,
        secrets: [],
      },
      output: log,
      clock,
      onCommand: () => {},
      keepScreen: () => {},
      tell: (fact) => {
        if (fact.type === 'process.spawnFailed') reject(new Error(fact.message));
        due.delete(fact.type);
        if (due.size > 0) return;
        cancel();
        resolve();
      },
    });
  });
}
