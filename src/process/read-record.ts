import { type EndReason, toProcessEnd } from '../../machines/process/context.ts';
import { finalStatuses } from '../../machines/process/view.ts';
import type { ProcessMode } from '../spawn/backend.ts';
import type { AdoptionData, ProcessRecord } from './process-record.ts';
import { recordShape, watchShape } from './record-shape.ts';
import { toTimelineEntry } from './timeline.ts';

/** Parses the record of that process; `why` is a clause that says what is wrong with the value. */
export function readRecord(
  value: unknown,
  id: string,
): { ok: true; record: ProcessRecord } | { ok: false; why: string } {
  if (typeof value !== 'object' || value === null) return { ok: false, why: 'it is not an object' };
  const { version } = value as { version?: unknown };
  if (version !== 1) {
    const found = JSON.stringify(version) ?? 'not there';
    return { ok: false, why: `its version is ${found}; this troupe reads version 1` };
  }
  const wrong = recordShape(value);
  if (wrong !== null) return { ok: false, why: `"${wrong.slice(1)}" is not valid in a record` };
  const record = complete(value as ProcessRecord);
  return record.view.id === id
    ? { ok: true, record }
    : { ok: false, why: 'it is the record of another process' };
}

/**
 * Adds what older records lack (terminals, `endsAt`, `suspects`, `callId` and `takesInput` came later) and corrects older spellings. Existing fields keep
 * their order, since `hasEndedRecord` reads the beginning of the text.
 */
function complete(record: ProcessRecord): ProcessRecord {
  const { view, revival, timeline } = record;
  const {
    terminal = null,
    progress = null,
    awaitsInput = null,
    callId = null,
    host = null,
    resourceLimits = null,
  } = view;
  return {
    ...record,
    view: {
      ...view,
      mode: modes[view.mode] ?? view.mode,
      ...('leftovers' in view && toProcessEnd(view)),
      ...('reason' in view && { reason: toEndReason(view.reason) }),
      ...('ready' in view && { endsAt: view.endsAt ?? null }),
      terminal,
      progress,
      takesInput: view.takesInput ?? (terminal?.type === 'terminal' || revival?.stdin === 'pipe'),
      awaitsInput,
      ...{ callId, host, resourceLimits },
    },
    timeline: timeline.map(toTimelineEntry),
    revival: revival === null ? null : completeRevival(revival),
  };
}

/** Reads a reason of a record; older ones spell the end by a limit `timedOut`, unlike the status. */
function toEndReason(recorded: EndReason | OlderReason): EndReason {
  return recorded.type === 'timedOut' ? { ...recorded, type: 'timed_out' } : recorded;
}

type OlderReason = Omit<Extract<EndReason, { type: 'timed_out' }>, 'type'> & { readonly type: 'timedOut' };

/** Modes of records that spell them differently from agent files. */
const modes: Readonly<Record<string, ProcessMode>> = { 'in-process': 'in_process' };

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
 * Returns whether the first 80 bytes of a record prove that its process ended without leftovers and suspects. Most records do, and a list
 * of live processes need not parse them. Returns `false` for a record whose fields are in another order; the caller must parse it.
 */
export function hasEndedRecord(beginning: string): boolean {
  return ended.test(beginning);
}
