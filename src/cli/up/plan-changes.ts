import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { isFinal } from '../../../machines/process/view.ts';
import { type GroupProcessSpec, toDependencies } from '../../groups/group-options.ts';
import type { ProcessView } from '../../process/process-view.ts';
import type { SeenProcess, StateDirectory } from '../../state-directory/state-directory.ts';
import { type CliIo, printError, printNote, toProgramName } from '../cli-io.ts';
import { toProcessName } from '../render/process-text.ts';
import type { Stack } from './stack-file.ts';
import { isStopped, stopMember } from './stack-processes.ts';

/** What `up` has to do so that the processes of a file run as the file says. */
export interface StackChanges {
  /** As `startGroup` takes them, without dependencies on what is up already. */
  readonly start: Readonly<Record<string, GroupProcessSpec>>;
  /** They run otherwise than the file says now, and are stopped before they are started; the one started last comes first. */
  readonly changed: readonly ProcessView[];
  /** They run, or have completed, as the file says. */
  readonly unchanged: readonly ProcessView[];
  /** They run, and are not in the file any more. */
  readonly removed: readonly ProcessView[];
}

/** Compares what runs of a file with what it says; `seen` is of that file only, `names` are those of its processes that are wanted. */
export function planChanges(
  { processes }: Stack,
  { names, seen }: { readonly names: readonly string[]; readonly seen: readonly SeenProcess[] },
): StackChanges {
  const views = seen.map(({ view }) => view).toSorted((a, b) => b.createdAt - a.createdAt);
  const live = views.filter((view) => !isFinal(view.status));
  const oneShots = findOneShots(processes);
  const isUnchanged = (view: ProcessView, name: string) =>
    view.metadata['stack'] === toFingerprint(processes[name]);
  /** A one-shot that has completed is not run again as long as the rest is up. */
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

/** The same for the same program in the same surroundings. What it waits for does not count. */
function toFingerprint(spec: GroupProcessSpec | undefined): string {
  const { dependsOn: _, stopSignal: _stopSignal, oneShot: _oneShot, ...own } = spec ?? {};
  const text = JSON.stringify(own, (_key, value: unknown) =>
    value instanceof RegExp ? String(value) : value,
  );
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

/** Says what is left alone, what is started again, and what the file has no more. */
export function reportChanges(
  { changed, unchanged, removed }: StackChanges,
  { file, io }: { readonly file: string; readonly io: CliIo },
): void {
  const names = (views: readonly ProcessView[]) => views.map(({ label, id }) => label ?? id).join(', ');
  if (unchanged.length > 0) printNote(io, `up already, as the file says: ${names(unchanged)}`);
  if (changed.length > 0) printNote(io, `changed, so stopped and started again: ${names(changed)}`);
  for (const view of removed) {
    const shown = relative(io.cwd, file);
    const remedy = `${toProgramName(io.env)} kill ${view.id}`;
    printNote(io, `${toProcessName(view)} runs and is not in ${shown} any more; to end it: ${remedy}`);
  }
}

/**
 * Stops what has changed, the last that was started first and each proven gone before the next, and waits for what is just coming up: what
 * is started now may depend on it.
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
