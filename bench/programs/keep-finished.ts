/** Prints the bytes of memory that each of many finished processes costs: what ran, or what is kept of it. */
import { createSupervisor } from '../../src/index.ts';
import { createScriptedBackend } from '../../src/testing/index.ts';
import { readInput } from '../fresh.ts';
import { settledBytes } from './settled-bytes.ts';

export interface KeepFinishedInput {
  readonly kept: boolean;
  readonly count: number;
  /** Scripted ones end at once; the others are `true`. */
  readonly backend: 'scripted' | 'pipe';
}

const { kept, count, backend } = readInput<KeepFinishedInput>();
const scripted = createScriptedBackend((run) => {
  run.comeUp();
  run.exit();
});
const supervisor = createSupervisor({
  stateDirectory: false,
  maxFinished: kept ? count * 2 : 0,
  ...(backend === 'scripted' && { backend: scripted }),
});

await runMany(200);
const before = await settledBytes();
await runMany(count);
const after = await settledBytes();
await supervisor.shutdown();
console.log(JSON.stringify((after - before) / count));

async function runMany(total: number): Promise<void> {
  for (let run = 0; run < total; run += 1) await supervisor.execute({ command: ['true'] });
  // The double remembers its runs for tests; they are not the supervisor's.
  (scripted.runs as unknown[]).length = 0;
}
