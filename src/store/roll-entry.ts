import { isAbsolute } from 'node:path';
import type { ParseRecord } from './record-text.ts';
import type { RollEntry } from './supervisor-roll.ts';

type Fields = Readonly<Partial<Record<keyof RollEntry, unknown>>>;

const checks: { readonly [Name in Exclude<keyof RollEntry, 'version'>]: (value: unknown) => boolean } = {
  id: isText,
  // Other numbers mean groups when they are signalled.
  pid: (value) => Number.isSafeInteger(value) && (value as number) > 0,
  startedAt: isTextOrNull,
  bootId: isTextOrNull,
  pidNamespace: isTextOrNull,
  since: Number.isFinite,
  role: (value) => value === 'program' || value === 'daemon',
  socket: (value) => value === null || (isText(value) && isAbsolute(value)),
};

/** Checked by hand: whoever lists processes reads the roll, and loading a schema library would cost that program half of its time. */
export const parseRollEntry: ParseRecord<RollEntry> = (value, id) => {
  if (typeof value !== 'object' || value === null) return { ok: false, why: 'it is not as an entry has it' };
  const fields = value as Fields;
  if (fields.version !== 1) {
    return {
      ok: false,
      why: `its version is ${JSON.stringify(fields.version)}; this troupe reads version 1`,
    };
  }
  for (const name of Object.keys(checks) as (keyof typeof checks)[]) {
    if (!checks[name](fields[name])) return { ok: false, why: `"${name}" is not as an entry has it` };
  }
  if (fields.id !== id) return { ok: false, why: 'it is the entry of another supervisor' };
  return { ok: true, record: value as RollEntry };
};

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isTextOrNull(value: unknown): boolean {
  return value === null || isText(value);
}
