import { finalStatuses } from '../../machines/process/view.ts';
import type { AdoptionData, ProcessRecord } from './process-record.ts';
import { recordShape, watchShape } from './record-shape.ts';
import { toTimelineEntry } from './timeline.ts';

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
  const record = complete(value as ProcessRecord);
  return record.view.id === id
    ? { ok: true, record }
    : { ok: false, why: 'it is the record of another process' };
}

/**
 * A record from before there were terminals has nothing of them, and its process none; `endsAt` and `suspects` came later too. Whatever is there stays in its place:
 * `hasEndedRecord` looks at the beginning.
 */
function complete(record: ProcessRecord): ProcessRecord {
  const { view, revival, timeline } = record;
  const { terminal = null, progress = null, awaitsInput = null } = view;
  return {
    ...record,
    view: {
      ...view,
      ...('ready' in view && { endsAt: view.endsAt ?? null }),
      ...('leftovers' in view && { suspects: view.suspects ?? [] }),
      terminal,
      progress,
      awaitsInput,
    },
    timeline: timeline.map(toTimelineEntry),
    revival: revival === null ? null : completeRevival(revival),
  };
}

function completeRevival({ watches, ...revival }: AdoptionData): AdoptionData {
  const { files, size = null, env } = revival;
  const { screen = `${files.log.replace(/\.log$/, '')}.screen` } = files;
  const usable = Array.isArray(watches) ? watches.filter((watch) => watchShape(watch) === null) : [];
  return {
    ...revival,
    files: { ...files, screen },
    size,
    envNames: revival.envNames ?? Object.keys(env ?? {}),
    ...(usable.length > 0 && { watches: usable }),
  };
}

const ended = new RegExp(
  `^\\{"version":1,"view":\\{"status":"(?:${finalStatuses.join('|')})","leftovers":\\[\\](?!,"suspects":\\[\\{)`,
);

/**
 * Whether a record is certainly one of a process that has ended without leftovers and suspects, from the first 80 bytes of its text. Most are, and a
 * list of what is alive need not parse them. `false` for a record whose fields stand in another order: then the whole of it has to tell.
 */
export function hasEndedRecord(beginning: string): boolean {
  return ended.test(beginning);
}
