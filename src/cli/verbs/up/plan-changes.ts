import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { isFinal } from '../../../../machines/process/view.ts';
import { type GroupProcessSpec, toDependencies } from '../../../groups/group-options.ts';
import type { ProcessView } from '../../../process/process-view.ts';
import type { SeenProcess, StateDirectory } from '../../../state-directory/state-directory.ts';
import { type CliIo, printError, printNote, toProgramName } from '../../cli-io.ts';
import { toProcessName } from '../../render/process-text.ts';
import type { Stack } from './stack-file.ts';
import { isStopped, stopMember } from './stack-processes.ts';

/** Steps that make the running processes match a stack file. */
export interface StackChanges {
  /** Specs for `startGroup`, without dependencies on running processes. */
  readonly start: Readonly<Record<string, GroupProcessSpec>>;
  /** Running processes that differ from the file and are restarted, the last one started first. */
  readonly changed: readonly ProcessView[];
  /** Processes that run, or have completed, as the file says. */
  readonly unchanged: readonly ProcessView[];
  /** Running processes that are no longer in the file. */
  readonly removed: readonly ProcessView[];
}

/** Compares a stack file with its processes in `seen`, for the processes in `names`. */
export function planChanges(
  { processes }: Stack,
  { names, seen }: { readonly names: readonly string[]; readonly seen: readonly SeenProcess[] },
): StackChanges {
  const views = seen.map(({ view }) => view).toSorted((a, b) => b.createdAt - a.createdAt);
  const live = views.filter((view) => !isFinal(view.status));
  const oneShots = findOneShots(processes);
  const isUnchanged = (view: ProcessView, name: string) =>
    view.metadata['stack'] === toFingerprint(processes[name]);
  /** A completed one-shot is not repeated while the rest of the stack is running. */
  const hasCompleted = (view: ProcessView, name: string) =>
    oneShots.has(name) && live.length > 0 && view.status === 'completed' && isUnchanged(view, name);

  const current = new Map(
    names.map((name) => {
      const ofName = (view: ProcessView) => view.label === name;
      return [name, live.find(ofName) ?? views.find(ofName)] as const;
    }),
  );
  const isUp = (name: string) => {
    const view = current.get(name);
    if (view === undefined) return false;
    return live.includes(view) ? isUnchanged(view, name) : hasCompleted(view, name);
  };
  const missing = names.filter((name) => !isUp(name));
  return {
    start: Object.fromEntries(
      missing.flatMap((name) => {
        const spec = processes[name];
        return spec === undefined ? [] : [[name, toMember(spec, { missing, isOneShot: oneShots.has(name) })]];
      }),
    ),
    changed: live.filter(({ label }) => label !== null && missing.includes(label)),
    unchanged: names.flatMap((name) => (isUp(name) ? (current.get(name) ?? []) : [])),
    removed: live.filter(({ label }) => label === null || !Object.hasOwn(processes, label)),
  };
}

function findOneShots(processes: Stack['processes']): ReadonlySet<string> {
  const all = Object.entries(processes);
  const awaited = all.flatMap(([, { dependsOn }]) =>
    [...toDependencies(dependsOn)].flatMap(([name, until]) => (until === 'completed' ? [name] : [])),
  );
  return new Set([...awaited, ...all.flatMap(([name, { oneShot }]) => (oneShot === true ? [name] : []))]);
}

function toMember(
  spec: GroupProcessSpec,
  { missing, isOneShot }: { readonly missing: readonly string[]; readonly isOneShot: boolean },
): GroupProcessSpec {
  const needed = [...toDependencies(spec.dependsOn)].filter(([name]) => missing.includes(name));
  const stopSignal = spec.stopSignal !== undefined && { stopSignal: spec.stopSignal };
  return {
    ...spec,
    ...(isOneShot && { oneShot: true }),
    dependsOn: Object.fromEntries(needed),
    metadata: { stack: toFingerprint(spec), ...stopSignal },
  };
}

/** Returns a hash of the program and its environment; dependencies do not count. */
function toFingerprint(spec: GroupProcessSpec | undefined): string {
  const { dependsOn: _, stopSignal: _stopSignal, oneShot: _oneShot, ...own } = spec ?? {};
  const text = JSON.stringify(own, (_key, value: unknown) =>
    value instanceof RegExp ? String(value) : value,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Reports which processes are left alone, restarted, or no longer in the file. */
export function reportChanges(
  { changed, unchanged, removed }: StackChanges,
  { file, io }: { readonly file: string; readonly io: CliIo },
): void {
  const names = (views: readonly ProcessView[]) => views.map(({ label, id }) => label ?? id).join(', ');
  if (unchanged.length > 0) printNote(io, `already up: ${names(unchanged)}`);
  if (changed.length > 0) printNote(io, `changed, restarting: ${names(changed)}`);
  for (const view of removed) {
    const shown = relative(io.cwd, file);
    const remedy = `${toProgramName(io.env)} kill ${view.id}`;
    printNote(io, `${toProcessName(view)} is running and no longer in ${shown}; to end it: ${remedy}`);
  }
}

/**
 * Stops changed processes, the last one started first, each proven gone before the next. Then waits for processes that are still
 * starting, because new ones may depend on them.
 */
export async function stopChanged(
  { changed, unchanged }: StackChanges,
  { state, io }: { readonly state: StateDirectory; readonly io: CliIo },
): Promise<void> {
  for (const view of changed) {
    const answer = await stopMember(view, state);
    if (!isStopped(answer)) printError(io, answer.message);
  }
  const coming = unchanged.filter((view) => 'ready' in view && view.ready.state === 'waiting');
  for (const { id } of coming) {
    const { end, process } = await state.waitFor(id, { ready: true });
    if (end.type !== 'met') printError(io, `${toProcessName(process)} is not ready.`);
  }
}
