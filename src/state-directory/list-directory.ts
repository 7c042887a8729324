import { toErrorText } from '../config/error-text.ts';
import { type Peer, PROMPT } from '../control/protocol.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import { hasLiveMembers, type ProcessView } from '../process/process-view.ts';
import { hasEndedRecord } from '../process/read-record.ts';
import type { DamagedRecord } from '../store/record-store.ts';
import type { DirectoryDeps } from './directory-deps.ts';
import type { SeenProcess } from './state-directory.ts';

/** All processes of a state directory, each once: what its supervisor says goes before what is written down. */
export async function listDirectory(
  deps: DirectoryDeps,
  { onlyLive = false }: { readonly onlyLive?: boolean } = {},
): Promise<{
  readonly processes: readonly SeenProcess[];
  readonly warnings: readonly string[];
}> {
  const { peers, store, roll, clock } = deps;
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
      // One that has ended may be kept by several; who has it alive is its supervisor.
      if (known === undefined || 'endedAt' in known.view) {
        seen.set(view.id, { view, supervisorId: peer.id, answered: true });
      }
    }
  }
  const states = new Map(roll.list().map(({ entry, state }) => [entry.id, state]));
  const strangers = new Set<string>();
  for (const record of records) {
    const { supervisorId, view } = record;
    // Written down in another moment than the answer: forgotten since, unless its supervisor is just letting go of it.
    const isLetGo = record.revival !== null && !('endedAt' in view);
    if (seen.has(view.id) || (answered.has(supervisorId) && !isLetGo)) continue;
    const state = states.get(supervisorId) ?? roll.stateOf(supervisorId);
    // Most supervisors of a thousand records are gone, and their entries, too.
    states.set(supervisorId, state);
    if (state === 'elsewhere' && !('endedAt' in view)) strangers.add(supervisorId);
    const shown =
      state === 'dead' ? (await deps.resolveStatus(record)).view : upToNow(record, clock.epochMs());
    seen.set(view.id, { view: shown, supervisorId, answered: false });
  }
  return {
    processes: [...seen.values()].filter(({ view }) => !onlyLive || hasLiveMembers(view)).sort(liveFirst),
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

async function askPeer(peer: Peer, { peers, roll }: DirectoryDeps): Promise<Answer> {
  try {
    const views = await peers.ask(peer, { method: 'list', params: {} }, PROMPT);
    return { peer, views, warning: null };
  } catch (error) {
    // It ended while it was asked: that is no trouble.
    if (roll.stateOf(peer.id) !== 'alive') return { peer, views: null, warning: null };
    return { peer, views: null, warning: toUnansweredWarning(peer, error) };
  }
}

/** Its supervisor goes on without writing that time passes. */
function upToNow({ view }: ProcessRecord, nowAt: number): ProcessView {
  if ('endedAt' in view || !('startedAt' in view)) return view;
  return { ...view, runtimeMs: Math.max(0, nowAt - view.startedAt) };
}

function liveFirst({ view: a }: SeenProcess, { view: b }: SeenProcess): number {
  const byLife = Number('endedAt' in a) - Number('endedAt' in b);
  return byLife === 0 ? a.createdAt - b.createdAt : byLife;
}

/** Why of this one only the records can be shown. */
export function toUnansweredWarning({ id, pid }: Peer, error: unknown): string {
  return `Supervisor ${id} (pid ${pid}) could not be asked, so its records are shown: ${toErrorText(error)}`;
}

export function toForeignWarning(supervisorId: string, what: 'processes' | 'schedules'): string {
  return `Supervisor ${supervisorId} is where this program cannot look, perhaps in a container: its ${what} are shown as they were last written down.`;
}

export function toDamagedWarning({ name, why }: DamagedRecord): string {
  return `The record ${name} was left out: ${why}.`;
}
