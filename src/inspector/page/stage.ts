import type { ConversationView, LiveState } from '../../live/live-state.ts';
import type { MachineView } from '../../live/machine-view.ts';
import { type Span, type StagedProcess, toStaged } from './staged-process.ts';

/** Row of the table with its lane, depth first. */
export type StageRow = {
  readonly id: string;
  /** Unique among the rows: an owner has one below each of its supervisors. */
  readonly key: string;
  /** Depth in the tree, from 1. */
  readonly level: number;
} & (
  | ({
      readonly type: 'supervisor';
      /** Number of supervisors in the row: those without a live process share one. */
      readonly supervisors: number;
      readonly spans: readonly [];
    } & Counts)
  | ({
      readonly type: 'owner';
      /** `null` for an owner without a known conversation, such as a shell. */
      readonly conversation: ConversationView | null;
      readonly spans: readonly Span[];
    } & Counts)
  | ({ readonly type: 'process' } & StagedProcess)
  /** Inspected machine of the program. */
  | {
      readonly type: 'machine';
      readonly machine: MachineView;
      readonly spans: readonly MachineSpan[];
    }
);

/** Number of processes. */
interface Counts {
  readonly live: number;
  readonly ended: number;
  readonly failed: number;
}

/** Time that a machine spent in a configuration of states. */
export interface MachineSpan extends Span {
  readonly state: 'machine';
  readonly text: string;
}

/** Line from one lane to another. */
export interface Arrow {
  /** `started`: a turn started the process. `notified`: the end of the process entered the conversation. */
  readonly type: 'started' | 'notified';
  readonly process: string;
  readonly owner: string;
  /** Times at which it leaves the first lane and reaches the second, in milliseconds since the epoch. */
  readonly from: number;
  readonly to: number;
}

/** Rows and arrows at a moment. */
export interface Stage {
  readonly rows: readonly StageRow[];
  readonly arrows: readonly Arrow[];
  /** Time of the first event; the moment itself where there is none. */
  readonly from: number;
}

type Source = Pick<LiveState, 'processes' | 'conversations' | 'timelines'> &
  Partial<Pick<LiveState, 'machines' | 'supervisors'>>;

/** Choice of rows. */
export interface StageFilter {
  /** Words that must all occur in id, label, command or status. */
  readonly text: string;
  readonly hidesEnded: boolean;
}

/**
 * Returns the supervisors, owners and processes at the time `at`; later ones are omitted. The processes that an agent started are below the
 * process of the agent, whose id is their owner.
 */
export function toStage(
  source: Source,
  at: number,
  filter: StageFilter = { text: '', hidesEnded: false },
): Stage {
  const staged = source.processes
    .filter(({ createdAt }) => createdAt <= at)
    .map((view) => toStaged(view, { timeline: source.timelines[view.id] ?? [], at }))
    .toSorted((a, b) => a.view.createdAt - b.view.createdAt || compare(a.view.id, b.view.id));
  const owned = Map.groupBy(staged, ({ view }) => view.owner);
  const talking = source.conversations;
  const owners = [...new Set([...Object.keys(talking), ...owned.keys()])];
  const begins = (owner: string) =>
    Math.min(
      owned.get(owner)?.[0]?.view.createdAt ?? Number.POSITIVE_INFINITY,
      talking[owner]?.transcript.find((message) => message.at !== undefined)?.at ?? Number.POSITIVE_INFINITY,
    );
  const rows = toTree(staged, {
    owned,
    owners: owners
      .toSorted(
        (a, b) => Number(b in talking) - Number(a in talking) || begins(a) - begins(b) || compare(a, b),
      )
      .filter((owner) => owned.has(owner) || begins(owner) <= at || filter.text === ''),
    conversations: talking,
    supervisors: source.supervisors ?? {},
    at,
    isFit: createFilter(filter),
  });
  const arrows = staged.flatMap((process) =>
    toArrows(process, { conversation: talking[process.view.owner], at }),
  );
  const starts = Object.values(source.machines ?? {}).flatMap(({ path }) => path[0]?.at ?? []);
  const first = Math.min(at, ...owners.map(begins), ...starts);
  const machines = Object.values(source.machines ?? {}).flatMap((machine) =>
    toMachineRow(machine, { at, filter }),
  );
  return { rows: [...machines, ...rows], arrows, from: Number.isFinite(first) ? first : at };
}

/** Orders what began in the same millisecond, so that rows keep their places when a process ends. */
function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

function toMachineRow(
  machine: MachineView,
  { at, filter }: { readonly at: number; readonly filter: StageFilter },
): readonly StageRow[] {
  const { id, name, path, status } = machine;
  const [first] = path;
  if (first === undefined || first.at > at || (filter.hidesEnded && status !== 'active')) return [];
  const words = filter.text.toLowerCase().split(/\s+/);
  if (!words.every((word) => `${name} ${machine.chart.name}`.toLowerCase().includes(word))) return [];
  const steps = path.filter((step) => step.at <= at);
  const spans = steps.map((step, index): MachineSpan => {
    const next = steps[index + 1]?.at ?? (status === 'active' || path.length > steps.length ? null : step.at);
    return { state: 'machine', from: step.at, to: next, text: step.states.join(' + ') };
  });
  return [{ type: 'machine', id, key: `machine ${id}`, level: 1, machine, spans }];
}

function createFilter({ text, hidesEnded }: StageFilter): (process: StagedProcess) => boolean {
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  return ({ view, status, endedAt }) => {
    if (hidesEnded && endedAt !== null) return false;
    if (words.length === 0) return true;
    const searched =
      `${view.id} ${view.label ?? ''} ${view.commandLine} ${status} ${view.owner}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  };
}

interface TreeSource {
  /** Processes by owner. */
  readonly owned: ReadonlyMap<string, readonly StagedProcess[]>;
  /** Owners in the order of their rows. */
  readonly owners: readonly string[];
  readonly conversations: LiveState['conversations'];
  readonly supervisors: LiveState['supervisors'];
  readonly at: number;
  readonly isFit: (process: StagedProcess) => boolean;
}

/** Returns the rows of the tree: supervisors, owners, processes, and below a process the processes that its agent started. */
function toTree(staged: readonly StagedProcess[], source: TreeSource): readonly StageRow[] {
  const { owned, conversations, at, isFit } = source;
  const ids = new Set(staged.map(({ view }) => view.id));
  const placed = new Set<string>();

  const toOwner = (
    owner: string,
    own: readonly StagedProcess[],
    { level, supervisor = '' }: { readonly level: number; readonly supervisor?: string | null },
  ): readonly StageRow[] => {
    const key = `owner ${owner} ${supervisor ?? ''}`;
    const conversation = conversations[owner] ?? null;
    // The process above is the row of an agent whose conversation is not known.
    const hasHead = conversation !== null || !ids.has(owner);
    const rows = own.flatMap((process) => toProcess(process, hasHead ? level + 1 : level));
    if (!hasHead || (rows.length === 0 && own.length > 0)) return rows;
    const spans = conversation === null ? [] : toTurns(conversation, at);
    return [{ type: 'owner', id: owner, key, level, conversation, ...toCounts(own), spans }, ...rows];
  };
  const toProcess = (process: StagedProcess, level: number): readonly StageRow[] => {
    const { id } = process.view;
    if (placed.has(id)) return [];
    placed.add(id);
    const below =
      owned.has(id) || id in conversations ? toOwner(id, owned.get(id) ?? [], { level: level + 1 }) : [];
    if (below.length === 0 && !isFit(process)) return [];
    return [{ type: 'process', id, key: `process ${id}`, level, ...process }, ...below];
  };

  const tops = source.owners.filter((owner) => !ids.has(owner));
  const groups = toSupervisors(staged, source.supervisors);
  const unowned = tops.filter((owner) => !owned.has(owner));
  const rows = groups.flatMap((group): readonly StageRow[] => {
    const level = group.id === null ? 1 : 2;
    const own = Map.groupBy(group.processes, ({ view }) => view.owner);
    const inside = tops.flatMap((owner) => {
      const processes = own.get(owner);
      if (processes !== undefined) return toOwner(owner, processes, { level, supervisor: group.id });
      return groups.length === 1 && unowned.includes(owner) ? toOwner(owner, [], { level }) : [];
    });
    if (group.id === null || inside.length === 0) return inside;
    const { id, supervisors, processes } = group;
    const key = `supervisor ${id}`;
    return [
      { type: 'supervisor', id, key, level: 1, supervisors, ...toCounts(processes), spans: [] },
      ...inside,
    ];
  });
  // Owners that are each below the other have no top.
  const rest = source.owners.filter((owner) => owned.get(owner)?.some(({ view }) => !placed.has(view.id)));
  return [
    ...(groups.length === 1 ? [] : unowned.flatMap((owner) => toOwner(owner, [], { level: 1 }))),
    ...rows,
    ...rest.flatMap((owner) => toOwner(owner, owned.get(owner) ?? [], { level: 1 })),
  ];
}

interface SupervisorGroup {
  /** `null` where the supervisor is unknown. */
  readonly id: string | null;
  readonly supervisors: number;
  readonly processes: readonly StagedProcess[];
}

/** Groups processes by supervisor. Supervisors without a live process share the last group. */
function toSupervisors(
  staged: readonly StagedProcess[],
  supervisors: LiveState['supervisors'],
): readonly SupervisorGroup[] {
  const known = Map.groupBy(staged, ({ view }) => supervisors[view.id] ?? null);
  const groups = [...known].map(([id, processes]) => ({ id, supervisors: 1, processes }));
  const isBusy = ({ id, processes }: SupervisorGroup) =>
    id === null || processes.some(({ endedAt }) => endedAt === null);
  const idle = groups.filter((group) => !isBusy(group));
  const [first] = idle;
  if (first === undefined || groups.length === 1 || idle.length === 1) return groups;
  const processes = idle.flatMap((group) => group.processes);
  return [
    ...groups.filter(isBusy),
    {
      ...first,
      supervisors: idle.length,
      processes: processes.toSorted((a, b) => a.view.createdAt - b.view.createdAt),
    },
  ];
}

function toCounts(processes: readonly StagedProcess[]): Counts {
  const live = processes.filter(({ endedAt }) => endedAt === null).length;
  const failed = processes.filter(
    ({ status }) => status === 'failed' || status === 'timed_out' || status === 'lost',
  ).length;
  return { live, ended: processes.length - live, failed };
}

/** Returns when the agent worked: from a message or notice to its last word before the next one. */
function toTurns({ transcript, status }: ConversationView, at: number): readonly Span[] {
  const turns: { state: 'turn'; from: number; to: number | null }[] = [];
  let isOpen = false;
  for (const message of transcript) {
    if (message.at === undefined || message.at > at || message.role === 'system') continue;
    if (!isOpen) turns.push({ state: 'turn', from: message.at, to: message.at });
    const last = turns.at(-1);
    if (last !== undefined) last.to = message.at;
    isOpen = !(message.role === 'assistant' && message.toolCalls.length === 0);
  }
  const last = turns.at(-1);
  if (isOpen && last !== undefined && (status === 'thinking' || status === 'acting')) last.to = null;
  return turns;
}

function toArrows(
  { view }: StagedProcess,
  { conversation, at }: { readonly conversation: ConversationView | undefined; readonly at: number },
): readonly Arrow[] {
  if (conversation === undefined) return [];
  // Ids of calls are unique within one life of a program only.
  const called = conversation.transcript.findLast(
    (message) =>
      message.role === 'assistant' &&
      (message.at ?? 0) <= view.createdAt &&
      message.toolCalls.some(({ id }) => id === view.callId),
  )?.at;
  const noticed = conversation.transcript.find(
    (message) =>
      message.role === 'notice' && message.completionIds.some((id) => id.startsWith(`${view.id}/`)),
  )?.at;
  const link = { process: view.id, owner: conversation.id };
  return [
    ...(called === undefined || view.callId === null
      ? []
      : [{ type: 'started', ...link, from: called, to: view.createdAt } as const]),
    ...(noticed === undefined || noticed > at || !('endedAt' in view)
      ? []
      : [{ type: 'notified', ...link, from: view.endedAt, to: noticed } as const]),
  ];
}

/** Returns the times of all events, in ascending order and each once: the stops of a walk through time. */
export function toMoments({ processes, conversations, timelines, machines }: Source): readonly number[] {
  const times = [
    ...processes.map(({ createdAt }) => createdAt),
    ...Object.values(timelines).flatMap((timeline) => timeline.map(({ at }) => at)),
    ...Object.values(machines ?? {}).flatMap(({ path }) => path.map(({ at }) => at)),
    ...Object.values(conversations).flatMap(({ transcript }) => transcript.flatMap(({ at }) => at ?? [])),
  ];
  return [...new Set(times)].sort((a, b) => a - b);
}
