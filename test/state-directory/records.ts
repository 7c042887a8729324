import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { unknownEnd } from '../../machines/process/context.ts';
import type { ProcessRecord } from '../../src/process/process-record.ts';
import type { FinalView, ProcessView } from '../../src/process/process-view.ts';
import { readTableScope } from '../../src/spawn/tree/table-scope.ts';

const scope = readTableScope();

/** The boot and pid namespace of this program. */
export const here = scope;

const facts = {
  kind: 'tool',
  command: { type: 'argv', argv: ['sleep', '1000'] },
  commandLine: 'sleep 1000',
  cwd: '/',
  label: null,
  owner: 'user',
  lifetime: 'session',
  tool: null,
  callId: null,
  metadata: {},
  mode: 'pipe',
  executionMode: 'asked for',
  attempt: 1,
  createdAt: 1_000,
  output: { bytes: 0, lines: 0, droppedBytes: 0, lastOutputAt: null, logFile: null, degraded: null },
  terminal: null,
  progress: null,
  takesInput: false,
  awaitsInput: null,
} as const;

/** A record of a supervisor that was never entered in the roll: one that is dead. */
export function runningRecord(id: string, more: Partial<ProcessRecord> = {}): ProcessRecord {
  const view = {
    ...facts,
    id,
    status: 'backgrounded',
    pid: null,
    pgid: null,
    startedAt: 1_000,
    backgroundedAt: 1_000,
    runtimeMs: 5,
    endsAt: null,
    restarts: 0,
    ready: { state: 'undeclared' },
  } satisfies ProcessView;
  return toRecord(view, more);
}

export function endedRecord(id: string, more: Partial<FinalView> = {}): ProcessRecord {
  const view = {
    ...facts,
    id,
    status: 'completed',
    pid: 4,
    startedAt: 1_000,
    backgroundedAt: null,
    endedAt: 2_000,
    runtimeMs: 1_000,
    restarts: 0,
    ...unknownEnd,
    exit: { code: 0, signal: null },
    reason: { type: 'exited', code: 0 },
    ...more,
  } satisfies ProcessView;
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
