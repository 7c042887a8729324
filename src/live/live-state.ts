import type { ConversationStatus } from '../conversation/conversation.ts';
import type { MailboxEntry } from '../mailbox/mailbox-entry.ts';
import type { ChatMessage } from '../models/chat-model.ts';
import type { PermissionQuestion } from '../policy/authorize.ts';
import type { ProcessView } from '../process/process-view.ts';
import type { TimelineEntry } from '../process/timeline.ts';
import type { MachineStep, MachineView } from './machine-view.ts';

/** A conversation at one moment, as plain data. */
export interface ConversationView {
  readonly id: string;
  readonly status: ConversationStatus;
  readonly transcript: readonly ChatMessage[];
  /** Text that the model has written since the last message of the transcript. */
  readonly writing: string;
  /** Messages and notices that wait to enter the transcript, oldest first. */
  readonly inbox: readonly MailboxEntry[];
}

/** Question to a person that waits for an answer. */
export interface OpenQuestion {
  readonly id: string;
  /** Time of the question, in milliseconds since the epoch. */
  readonly at: number;
  readonly question: PermissionQuestion;
}

/** State that a store shows. Unchanged parts are the same objects as before. */
export interface LiveState {
  /**
   * Source of the state. `local`: this program. `open`: another program, as it is now. `connecting` and `lost`: another program, as
   * it was last; a lost connection is tried again. `refused`: another program that denies access.
   */
  readonly connection: 'local' | 'connecting' | 'open' | 'lost' | 'refused';
  /** Live processes in order of creation, then ended ones. */
  readonly processes: readonly ProcessView[];
  /** Ids of supervisors by process id. Empty where they are unknown. */
  readonly supervisors: Readonly<Record<string, string>>;
  /** Conversations by id. */
  readonly conversations: Readonly<Record<string, ConversationView>>;
  /** Timelines of the processes, by process id; entries are ordered oldest first. Empty unless the store includes timelines. */
  readonly timelines: Readonly<Record<string, readonly TimelineEntry[]>>;
  /** Questions that wait for an answer, oldest first. Empty outside an inspector. */
  readonly questions: readonly OpenQuestion[];
  /** Machines of the program that are inspected, by id. Empty outside an inspector. */
  readonly machines: Readonly<Record<string, MachineView>>;
}

/** The state before anything is known. */
export const emptyLiveState: LiveState = {
  connection: 'connecting',
  processes: [],
  supervisors: {},
  conversations: {},
  timelines: {},
  questions: [],
  machines: {},
};

/** State that changes, for `useSyncExternalStore` of React and the like. */
export interface ReadableStore<T> {
  /** Returns the same object until something changes. */
  getSnapshot(): T;
  /** Returns the state with which a page that was rendered on a server begins. */
  getServerSnapshot(): T;
  /** Calls `onChange` after each change. Returns a function that ends it; the store rests while it has no subscribers. */
  subscribe(onChange: () => void): () => void;
}

/** Processes and conversations of one program. */
export type LiveStore = ReadableStore<LiveState>;

/** Event of the stream: a difference to the state before. */
export type LiveEvent =
  | { readonly type: 'process.changed'; readonly view: ProcessView }
  | { readonly type: 'process.forgotten'; readonly id: string }
  /** The processes have this supervisor now. */
  | { readonly type: 'processes.supervised'; readonly supervisor: string; readonly ids: readonly string[] }
  /** Order of the ids, where processes were added, removed or moved. */
  | { readonly type: 'processes.ordered'; readonly ids: readonly string[] }
  /** The transcript is its first `kept` messages, then `messages`. */
  | {
      readonly type: 'conversation.changed';
      readonly view: Omit<ConversationView, 'transcript'>;
      readonly kept: number;
      readonly messages: readonly ChatMessage[];
    }
  | { readonly type: 'conversation.forgotten'; readonly id: string }
  /** The timeline is its first `kept` entries, then `entries`. */
  | {
      readonly type: 'timeline.changed';
      readonly id: string;
      readonly kept: number;
      readonly entries: readonly TimelineEntry[];
    }
  | { readonly type: 'questions.changed'; readonly questions: readonly OpenQuestion[] }
  /** The path is without its first `dropped` steps, then `steps`. The chart comes with the first event of a machine. */
  | {
      readonly type: 'machine.changed';
      readonly view: Omit<MachineView, 'path' | 'chart'> & Partial<Pick<MachineView, 'chart'>>;
      readonly dropped: number;
      readonly steps: readonly MachineStep[];
    }
  | { readonly type: 'machine.forgotten'; readonly id: string };

/** Returns the events that lead from one state to the other. */
export function toLiveEvents(before: LiveState, after: LiveState): readonly LiveEvent[] {
  return [
    ...toProcessEvents(before, after),
    ...toSupervisorEvents(before.supervisors, after.supervisors),
    ...toTimelineEvents(before.timelines, after.timelines),
    ...toConversationEvents(before, after),
    ...(before.questions === after.questions
      ? []
      : [{ type: 'questions.changed', questions: after.questions } as const]),
    ...toMachineEvents(before.machines, after.machines),
  ];
}

function toProcessEvents(before: LiveState, after: LiveState): readonly LiveEvent[] {
  if (before.processes === after.processes) return [];
  const known = new Set(before.processes);
  const [old, ids] = [before, after].map(({ processes }) => processes.map(({ id }) => id));
  const staying = new Set(ids);
  const changed = after.processes.filter((view) => !known.has(view));
  const isReordered = old?.length !== ids?.length || old?.some((id, index) => id !== ids?.[index]);
  return [
    ...changed.map((view) => ({ type: 'process.changed', view }) as const),
    ...(old ?? []).filter((id) => !staying.has(id)).map((id) => ({ type: 'process.forgotten', id }) as const),
    ...(isReordered ? [{ type: 'processes.ordered', ids: ids ?? [] } as const] : []),
  ];
}

/** Entries are removed with their processes. */
function toSupervisorEvents(
  before: LiveState['supervisors'],
  after: LiveState['supervisors'],
): readonly LiveEvent[] {
  if (before === after) return [];
  const changed = Object.entries(after).filter(([id, supervisor]) => before[id] !== supervisor);
  return [...Map.groupBy(changed, ([, supervisor]) => supervisor)].map(([supervisor, processes]) => ({
    type: 'processes.supervised',
    supervisor,
    ids: processes.map(([id]) => id),
  }));
}

/** Timelines leave with their processes. */
function toTimelineEvents(
  before: LiveState['timelines'],
  after: LiveState['timelines'],
): readonly LiveEvent[] {
  if (before === after) return [];
  return Object.entries(after).flatMap(([id, timeline]) => {
    const old = before[id] ?? [];
    if (old === timeline) return [];
    const kept = countKept(old, timeline);
    return [{ type: 'timeline.changed', id, kept, entries: timeline.slice(kept) } as const];
  });
}

function toMachineEvents(before: LiveState['machines'], after: LiveState['machines']): readonly LiveEvent[] {
  if (before === after) return [];
  const changed = Object.values(after).filter((view) => before[view.id] !== view);
  const gone = Object.keys(before).filter((id) => after[id] === undefined);
  return [
    ...changed.map(({ path, chart, ...view }) => {
      const old = before[view.id];
      const [first] = path;
      const place = first === undefined || old === undefined ? -1 : old.path.indexOf(first);
      const dropped = place === -1 ? (old?.path.length ?? 0) : place;
      const known = (old?.path.length ?? 0) - dropped;
      const shown = old?.chart === chart ? view : { ...view, chart };
      return { type: 'machine.changed', view: shown, dropped, steps: path.slice(known) } as const;
    }),
    ...gone.map((id) => ({ type: 'machine.forgotten', id }) as const),
  ];
}

/** Returns how many items both lists begin with. */
function countKept<T>(before: readonly T[], after: readonly T[]): number {
  const different = after.findIndex((item, index) => item !== before[index]);
  return different === -1 ? after.length : different;
}

function toConversationEvents(before: LiveState, after: LiveState): readonly LiveEvent[] {
  const changed = Object.values(after.conversations).filter((view) => before.conversations[view.id] !== view);
  const gone = Object.keys(before.conversations).filter((id) => after.conversations[id] === undefined);
  return [
    ...changed.map(({ transcript, ...view }) => {
      const old = before.conversations[view.id]?.transcript ?? [];
      const kept = countKept(old, transcript);
      return { type: 'conversation.changed', view, kept, messages: transcript.slice(kept) } as const;
    }),
    ...gone.map((id) => ({ type: 'conversation.forgotten', id }) as const),
  ];
}

/** Returns the state after the event. */
export function applyLiveEvent(state: LiveState, event: LiveEvent): LiveState {
  const { processes, conversations, timelines, machines } = state;
  switch (event.type) {
    case 'process.changed': {
      const index = processes.findIndex(({ id }) => id === event.view.id);
      const next = index === -1 ? [...processes, event.view] : processes.with(index, event.view);
      return { ...state, processes: next };
    }
    case 'process.forgotten': {
      const { [event.id]: _, ...others } = timelines;
      const { [event.id]: __, ...supervisors } = state.supervisors;
      return {
        ...state,
        supervisors,
        processes: processes.filter(({ id }) => id !== event.id),
        timelines: others,
      };
    }
    case 'processes.supervised': {
      const { ids, supervisor } = event;
      const added = Object.fromEntries(ids.map((id) => [id, supervisor]));
      return { ...state, supervisors: { ...state.supervisors, ...added } };
    }
    case 'processes.ordered': {
      const views = new Map(processes.map((view) => [view.id, view]));
      return { ...state, processes: event.ids.flatMap((id) => views.get(id) ?? []) };
    }
    case 'conversation.changed': {
      const { view, kept, messages } = event;
      const transcript = [...(conversations[view.id]?.transcript.slice(0, kept) ?? []), ...messages];
      return { ...state, conversations: { ...conversations, [view.id]: { ...view, transcript } } };
    }
    case 'conversation.forgotten': {
      const { [event.id]: _, ...others } = conversations;
      return { ...state, conversations: others };
    }
    case 'timeline.changed': {
      const { id, kept, entries } = event;
      return {
        ...state,
        timelines: { ...timelines, [id]: [...(timelines[id]?.slice(0, kept) ?? []), ...entries] },
      };
    }
    case 'questions.changed':
      return { ...state, questions: event.questions };
    case 'machine.changed': {
      const { view, dropped, steps } = event;
      const old = machines[view.id];
      const chart = view.chart ?? old?.chart;
      if (chart === undefined) return state;
      const path = [...(old?.path.slice(dropped) ?? []), ...steps];
      return { ...state, machines: { ...machines, [view.id]: { ...view, chart, path } } };
    }
    case 'machine.forgotten': {
      const { [event.id]: _, ...others } = machines;
      return { ...state, machines: others };
    }
  }
}
