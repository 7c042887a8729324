import { finalStatuses } from '../../machines/process/view.ts';
import type { ProcessRecord } from './process-record.ts';

const statuses: ReadonlySet<unknown> = new Set([
  'pending',
  'running',
  'backgrounded',
  'stopping',
  'restarting',
  ...finalStatuses,
]);

/**
 * What a file holds, as a record; or a clause that says why it is none. It looks at what everybody relies on who reads records; the rest
 * was written by us, or the version would be another. Without a schema library: who lists a thousand records and ends pays more for
 * loading that than for everything else.
 */
export function readRecord(
  value: unknown,
  id: string,
): { ok: true; record: ProcessRecord } | { ok: false; why: string } {
  const record = value as Partial<Record<keyof ProcessRecord, unknown>> | null;
  if (typeof record !== 'object' || record === null) return broken('it');
  if (record.version !== 1) {
    const version = JSON.stringify(record.version) ?? 'not there';
    return { ok: false, why: `its version is ${version}; this troupe reads version 1` };
  }
  const wrong = findWrong(record);
  if (wrong !== null) return broken(`"${wrong}"`);
  const whole = value as ProcessRecord;
  return whole.view.id === id
    ? { ok: true, record: whole }
    : { ok: false, why: 'it is the record of another process' };
}

function broken(where: string): { ok: false; why: string } {
  return { ok: false, why: `${where} is not as a record has it` };
}

/** The first field that is not what everybody relies on. */
function findWrong(record: Partial<Record<keyof ProcessRecord, unknown>>): string | null {
  if (typeof record.supervisorId !== 'string') return 'supervisorId';
  if (typeof record.savedAt !== 'number') return 'savedAt';
  if (!isScope(record.scope)) return 'scope';
  if (!Array.isArray(record.timeline)) return 'timeline';
  if (!isLeader(record.leader)) return 'leader';
  if (!isRevival(record.revival)) return 'revival';
  return findWrongInView(record.view);
}

function findWrongInView(value: unknown): string | null {
  const view = toFields(value);
  if (view === null) return 'view';
  if (!statuses.has(view['status'])) return 'view.status';
  for (const name of ['id', 'commandLine', 'cwd', 'owner']) {
    if (typeof view[name] !== 'string') return `view.${name}`;
  }
  for (const name of ['attempt', 'createdAt']) if (typeof view[name] !== 'number') return `view.${name}`;
  return typeof toFields(view['output'])?.['bytes'] === 'number' ? null : 'view.output';
}

function isScope(value: unknown): boolean {
  const scope = toFields(value);
  return scope !== null && isTextOrNull(scope['bootId']) && isTextOrNull(scope['pidNamespace']);
}

function isLeader(value: unknown): boolean {
  if (value === null) return true;
  const leader = toFields(value);
  if (leader === null || !isTextOrNull(leader['bootId']) || !isTextOrNull(leader['pidNamespace']))
    return false;
  const isNamed = typeof leader['startedAt'] === 'string' && typeof leader['cookie'] === 'string';
  return isNamed && typeof leader['pid'] === 'number' && typeof leader['pgid'] === 'number';
}

function isRevival(value: unknown): boolean {
  if (value === null) return true;
  const files = toFields(toFields(value)?.['files']);
  return typeof files?.['log'] === 'string' && typeof files['status'] === 'string';
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === 'string';
}

function toFields(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
}
