import { join } from 'node:path';
import { createMemoryRecordStore, createSupervisor, type ProcessRecord } from '../src/index.ts';
import { readRecord } from '../src/process/read-record.ts';
import { createFileRecordStore } from '../src/store/file-record-store.ts';

/** Fills a state directory with records of a real process, as a supervisor that is gone has left them. */
export async function writeManyRecords(
  directory: string,
  { count, as }: { count: number; as: 'ended' | 'live' },
): Promise<void> {
  const kept = createMemoryRecordStore<ProcessRecord>();
  const supervisor = createSupervisor({ stateDirectory: directory, records: kept });
  const handle = supervisor.start({ command: ['sh', '-c', 'echo hello; exec sleep 60'], background: true });
  const [live] = kept.load().records;
  await handle.kill();
  await supervisor.shutdown();
  const record = as === 'live' ? live : kept.read(handle.id);
  if (record === null || record === undefined) throw new Error('no record was written');

  const store = createFileRecordStore<ProcessRecord>({
    directory: join(directory, 'processes'),
    parse: readRecord,
  });
  for (let n = 0; n < count; n += 1) {
    const id = `tool_${String(n).padStart(8, '0')}`;
    store.save(id, { ...record, supervisorId: 'sup_gone', view: { ...record.view, id } });
  }
}
