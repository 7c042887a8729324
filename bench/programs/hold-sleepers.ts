/** Holds sleeping processes, here or on a worker, and prints a line of JSON when all of them run. Ends them when its stdin ends. */
import { filter, firstValueFrom } from 'rxjs';
import { createSupervisor } from '../../src/index.ts';
import { readInput } from '../fresh.ts';

export interface HoldSleepersInput {
  readonly count: number;
  /** NATS server; `null` for processes of this machine. */
  readonly servers: string | null;
}

const { count, servers } = readInput<HoldSleepersInput>();
const supervisor = createSupervisor({
  ...{ stateDirectory: false, maxBackgroundProcesses: count },
  ...(servers !== null && { remote: { servers, pool: 'default' } }),
});
const startMs = performance.now();
const handles = Array.from({ length: count }, () =>
  supervisor.start({ command: ['sleep', '1000'], background: true }),
);
const started = handles.map((handle) =>
  firstValueFrom(handle.view$.pipe(filter(({ status }) => status !== 'pending'))),
);
await Promise.all(started);
console.log(JSON.stringify({ tookMs: performance.now() - startMs }));
process.stdin.resume().on('end', () => void supervisor.shutdown());
