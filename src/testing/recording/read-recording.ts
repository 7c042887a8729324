import { readFileSync } from 'node:fs';
import { toErrorText } from '../../config/error-text.ts';
import { quote } from '../../config/quote.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import {
  type AttemptEntry,
  type RecordingEntry,
  type RequestEntry,
  recordingEntry,
  recordingHeader,
  recordingVersion,
} from './recording-entry.ts';

/** Content of a recording, indexed for its replay. */
export interface Recording {
  readonly file: string;
  /** Milliseconds since the epoch at the beginning. */
  readonly epochMs: number;
  /** Milliseconds from the beginning to the last entry. */
  readonly durationMs: number;
  /** Sentence that says that the recording was cut off, and at which time; `null` where it was closed. */
  readonly cutOff: string | null;
  readonly ids: readonly EntryOf<'id'>[];
  readonly seeds: ReadonlyMap<string, number>;
  /** Attempts by `toAttemptKey`; each with its `run` first. */
  readonly attempts: ReadonlyMap<string, readonly AttemptEntry[]>;
  readonly ports: readonly EntryOf<'ports'>[];
  /** Requests by `toRequestKey`; each with its `request` first. */
  readonly requests: ReadonlyMap<string, readonly RequestEntry[]>;
}

type EntryOf<Type extends RecordingEntry['type']> = Extract<RecordingEntry, { type: Type }>;

export function toAttemptKey(process: string, attempt: number): string {
  return `${process}/${attempt}`;
}

export function toRequestKey(model: number, request: number): string {
  return `${model}/${request}`;
}

/**
 * Reads a recording. A recording that a crash cut off is read up to the cut.
 *
 * @throws TroupeError `recording` for a file that cannot be read, is no recording, is damaged before its last line, is of a later version, or
 * contains a process that was not recorded.
 */
export function readRecording(file: string): Recording {
  const refuse = (what: string, cause?: unknown): TroupeError =>
    new TroupeError({ code: 'recording', message: `The recording ${file} ${what}`, cause });
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw refuse(`cannot be read: ${toErrorText(error)}.`, error);
  }
  const [first = '', ...lines] = text.split('\n');
  const header = recordingHeader.safeParse(parseJson(first));
  if (!header.success) {
    throw refuse(
      `is no recording: its first line is ${quote(first)}. Name a file that createRecorder has written.`,
    );
  }
  const { version, epochMs } = header.data;
  if (version !== recordingVersion) {
    throw refuse(
      `has version ${version}, and this troupe reads version ${recordingVersion}. Use the troupe that wrote it, or record again.`,
    );
  }

  const entries: RecordingEntry[] = [];
  for (const [index, line] of lines.entries()) {
    // The text after the last line feed is empty, or was cut off.
    if (index === lines.length - 1) break;
    const parsed = recordingEntry.safeParse(parseJson(line));
    if (!parsed.success) throw refuse(`is damaged in line ${index + 2}: ${quote(line)}. Record again.`);
    entries.push(parsed.data);
  }
  const run = entries.find((entry) => entry.type === 'run' && entry.unrecorded !== null);
  if (run?.type === 'run') {
    throw refuse(
      `cannot be replayed: ${run.process} (${run.commandLine}) was not recorded, because ${run.unrecorded}.`,
    );
  }
  return toRecording(entries, { file, epochMs });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

function toRecording(
  entries: readonly RecordingEntry[],
  header: { readonly file: string; readonly epochMs: number },
): Recording {
  const seeds = new Map<string, number>();
  const ids: EntryOf<'id'>[] = [];
  const ports: EntryOf<'ports'>[] = [];
  const attempts = new Map<string, AttemptEntry[]>();
  const requests = new Map<string, RequestEntry[]>();
  for (const entry of entries) {
    if (entry.type === 'id') ids.push(entry);
    else if (entry.type === 'seed') seeds.set(entry.process, entry.seed);
    else if (entry.type === 'ports') ports.push(entry);
    else if ('attempt' in entry) pushTo(attempts, toAttemptKey(entry.process, entry.attempt), entry);
    else if ('request' in entry) pushTo(requests, toRequestKey(entry.model, entry.request), entry);
  }
  const last = entries.at(-1);
  const durationMs = last?.at ?? 0;
  const cutOff =
    last?.type === 'closed'
      ? null
      : `The recording was cut off after ${Math.round(durationMs)} ms, before it was closed.`;
  return { ...header, durationMs, cutOff, ids, seeds, ports, attempts, requests };
}

function pushTo<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, [value]);
  else values.push(value);
}
