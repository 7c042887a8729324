import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ProcessRecord } from '../../src/process/process-record.ts';
import type { FinalView, ProcessView } from '../../src/process/process-view.ts';
import { readTableScope } from '../../src/spawn/tree/table-scope.ts';
import { endedView, runningView } from '../support/views.ts';

const scope = readTableScope();

/** The boot and pid namespace of this program. */
export const here = scope;

const facts = {
  command: { type: 'argv', argv: ['sleep', '1000'] },
  commandLine: 'sleep 1000',
  owner: 'user',
  mode: 'pipe',
  executionMode: 'asked for',
  createdAt: 1_000,
  startedAt: 1_000,
} as const;

/** Returns a record of a supervisor that was never registered, and so is dead. */
export function runningRecord(id: string, more: Partial<ProcessRecord> = {}): ProcessRecord {
  const times = { backgroundedAt: 1_000, runtimeMs: 5 };
  return toRecord(runningView({ ...facts, ...times, id, pid: null, pgid: null }), more);
}

export function endedRecord(id: string, more: Partial<FinalView> = {}): ProcessRecord {
  const view = endedView({ ...facts, id, pid: 4, endedAt: 2_000, runtimeMs: 1_000, ...more });
  return toRecord(view, {});
}

function toRecord(view: ProcessView, more: Partial<ProcessRecord>): ProcessRecord {
  return {
    version: 1,
    supervisorId: 'sup_dead2222',
    scope,
    savedAt: 1_500,
    view,
    timeline: [{ at: 1_000, type: 'process.created' }],
    leader: null,
    revival: null,
    ...more,
  };
}

export function writeRecord(directory: string, record: unknown, id: string): void {
  mkdirSync(join(directory, 'processes'), { recursive: true, mode: 0o700 });
  const text = typeof record === 'string' ? record : JSON.stringify(record);
  writeFileSync(join(directory, 'processes', `${id}.json`), text, { mode: 0o600 });
}
