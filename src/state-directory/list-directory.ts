import { toErrorText } from '../config/error-text.ts';
import { type Peer, PROMPT } from '../control/protocol.ts';
import { hasLiveMembers, type ProcessView } from '../process/process-view.ts';
import { hasEndedRecord } from '../process/read-record.ts';
import type { DamagedRecord } from '../store/record-store.ts';
import type { DirectoryDeps, Recorded } from './directory-deps.ts';
import type { SeenProcess } from './state-directory.ts';

/** Lists all processes of a state directory once each; a supervisor's answer takes precedence over the record. */
export async function listDirectory(
  deps: DirectoryDeps,
  { onlyLive = false }: { readonly onlyLive?: boolean } = {},
): Promise<{
  readonly processes: readonly SeenProcess[];
  readonly warnings: readonly string[];
}> {
  const { peers, store, registry } = deps;
  const asked = peers.list().map((peer) => askPeer(peer, deps));
  const { records, damaged } = store.load(onlyLive ? { leaveOut: hasEndedRecord } : {});
  const answers = await Promise.all(asked);

  const seen = new Map<string, SeenProcess>();
  const answered = new Set<string>();
  for (const { peer, views } of answers) {
    if (views === null) continue;
    answered.add(peer.id);
    for (const view of views) {
      const known = seen.get(view.id);
      // Several supervisors may retain an ended process; the one that has it alive supervises it.
      if (known === undefined || 'endedAt' in known.view) {
        seen.set(view.id, { view, supervisorId: peer.id, answered: true });
      }
    }
  }
  const states = new Map(registry.list().map(({ entry, state }) => [entry.id, state]));
  const strangers = new Set<string>();
  for (const record of records) {
    const { supervisorId, view } = record;
    // The record is older than the answer: the process was removed since, unless its supervisor is detaching it right now.
    const isLetGo = record.revival !== null && !('endedAt' in view);
    if (seen.has(view.id) || (answered.has(supervisorId) && !isLetGo)) continue;
    const state = states.get(supervisorId) ?? registry.stateOf(supervisorId);
    // Most supervisors of a thousand records are gone, including their entries.
    states.set(supervisorId, state);
    if (state === 'elsewhere' && !('endedAt' in view)) strangers.add(supervisorId);
    seen.set(view.id, { view: await viewRecorded(deps, { record, state }), supervisorId, answered: false });
  }
  return {
    processes: [...seen.values()]
      .filter(({ view }) => !onlyLive || hasLiveMembers(view))
      .sort((a, b) => liveFirst(a.view, b.view)),
    warnings: [
      ...answers.flatMap(({ warning }) => (warning === null ? [] : [warning])),
      ...[...strangers].map((id) => toForeignWarning(id, 'processes')),
      ...damaged.map(toDamagedWarning),
    ],
  };
}

interface Answer {
  readonly peer: Peer;
  readonly views: readonly ProcessView[] | null;
  readonly warning: string | null;
}

async function askPeer(peer: Peer, { peers, registry }: DirectoryDeps): Promise<Answer> {
  try {
    const views = await peers.ask(peer, { method: 'list', params: {} }, PROMPT);
    return { peer, views, warning: null };
  } catch (error) {
    // It ended while it was asked, which is expected.
    if (registry.stateOf(peer.id) !== 'alive') return { peer, views: null, warning: null };
    return { peer, views: null, warning: toUnansweredWarning(peer, error) };
  }
}

/** Returns the view of a record, with its runtime until now: a live supervisor does not record it continuously. */
export async function viewRecorded(
  { resolveStatus, clock }: DirectoryDeps,
  { record, state }: Pick<Recorded, 'record' | 'state'>,
): Promise<ProcessView> {
  if (state === 'dead') return (await resolveStatus(record)).view;
  const { view } = record;
  if ('endedAt' in view || !('startedAt' in view)) return view;
  return { ...view, runtimeMs: Math.max(0, clock.epochMs() - view.startedAt) };
}

/** Order of a list: live processes first, each part by creation. */
export function liveFirst(a: ProcessView, b: ProcessView): number {
  const byLife = Number('endedAt' in a) - Number('endedAt' in b);
  return byLife === 0 ? a.createdAt - b.createdAt : byLife;
}

/** Explains why only the records of a supervisor are shown. */
export function toUnansweredWarning({ id, pid }: Peer, error: unknown): string {
  return `Supervisor ${id} (pid ${pid}) could not be asked, so its records are shown: ${toErrorText(error)}`;
}

export function toForeignWarning(supervisorId: string, what: 'processes' | 'schedules'): string {
  return `Supervisor ${supervisorId} is out of reach of this program, perhaps in a container: its ${what} are shown as last recorded.`;
}

export function toDamagedWarning({ name, why }: DamagedRecord): string {
  return `The record ${name} was skipped: ${why}.`;
}
