import { checkRecordId } from './record-id.ts';
import type { DamagedRecord, RecordStore } from './record-store.ts';
import { type ParseRecord, parseRecordText, toRecordBytes } from './record-text.ts';

/**
 * Creates a record store in memory, for tests and programs that keep nothing on disk. `texts` holds the JSON
 * by id; a store created with the texts of another finds its records.
 */
export function createMemoryRecordStore<Doc>({
  parse = trust,
  texts = new Map(),
}: {
  readonly parse?: ParseRecord<Doc>;
  readonly texts?: Map<string, string>;
} = {}): RecordStore<Doc> & { readonly texts: ReadonlyMap<string, string> } {
  const readText = (id: string, text: string) => parseRecordText(text, { parse, id });

  const inspect = (id: string) => {
    const text = texts.get(checkRecordId(id));
    return text === undefined ? null : readText(id, text);
  };

  return {
    texts,
    save: (id, record) => void texts.set(checkRecordId(id), toRecordBytes(record, id).toString()),
    read: (id) => {
      const reading = inspect(id);
      return reading?.ok === true ? reading.record : null;
    },
    inspect,
    load: ({ leaveOut } = {}) => {
      const records: Doc[] = [];
      const damaged: DamagedRecord[] = [];
      for (const [id, text] of texts) {
        if (leaveOut?.(text) === true) continue;
        const reading = readText(id, text);
        if (reading.ok) records.push(reading.record);
        else damaged.push({ name: id, why: reading.why });
      }
      return { records, damaged };
    },
    remove: (id) => void texts.delete(checkRecordId(id)),
  };
}

/** Skips the checks, since only this program writes to the store. */
function trust<Doc>(value: unknown): { ok: true; record: Doc } {
  return { ok: true, record: value as Doc };
}
