import type { ProcessRecord } from '../../src/process/process-record.ts';
import type { RecordStore } from '../../src/store/record-store.ts';
import { parseSpec } from '../../src/supervisor/plan-process.ts';
import { startProcess } from '../../src/supervisor/start-process.ts';
import { createScriptedBackend } from '../../src/testing/scripted-backend.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { tempDir } from '../support/os.ts';
import { openRuntime } from './open-runtime.ts';

/**
 * Puts the record of one more running process into `store`, as a dead supervisor leaves it. The supervisor that adopts it stops
 * it at its own end, like others in the background; released processes are outside its chart.
 */
export function leaveBehind(store: RecordStore<ProcessRecord>): void {
  using directory = tempDir();
  const { runtime, deps } = openRuntime({
    clock: createVirtualClock(),
    backend: createScriptedBackend((run) => run.comeUp(), { durable: true }),
    stateDirectory: directory.path,
    handleSignals: false,
  });
  const spec = parseSpec({
    command: ['scripted'],
    lifetime: 'persistent',
    background: true,
    maxBackgroundTime: 0,
  });
  const { id } = startProcess(spec, { runtime, deps });
  runtime.records.flush();
  const record = deps.store?.read(id);
  if (record === null || record === undefined) throw new Error('It was not written down.');
  store.save(id, { ...record, view: { ...record.view, lifetime: 'session' } });
}
