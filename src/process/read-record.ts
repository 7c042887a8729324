import type { ProcessRecord } from './process-record.ts';
import { recordShape } from './record-shape.ts';

/** What a file holds, as the record of that process; or a clause that says why it is none. */
export function readRecord(
  value: unknown,
  id: string,
): { ok: true; record: ProcessRecord } | { ok: false; why: string } {
  if (typeof value !== 'object' || value === null) return { ok: false, why: 'it is no object' };
  const { version } = value as { version?: unknown };
  if (version !== 1) {
    const found = JSON.stringify(version) ?? 'not there';
    return { ok: false, why: `its version is ${found}; this troupe reads version 1` };
  }
  const wrong = recordShape(value);
  if (wrong !== null) return { ok: false, why: `"${wrong.slice(1)}" is not as a record has it` };
  const record = value as ProcessRecord;
  return record.view.id === id
    ? { ok: true, record }
    : { ok: false, why: 'it is the record of another process' };
}
