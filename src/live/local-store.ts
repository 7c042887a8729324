import type { Conversation } from '../conversation/conversation.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { ProcessView } from '../process/process-view.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import {
  type ConversationView,
  emptyLiveState,
  type LiveState,
  type LiveStore,
  type ReadableStore,
} from './live-state.ts';
import { createSharedStore } from './shared-store.ts';

/** Store of processes and conversations of this program. */
export interface LocalStore extends LiveStore {
  /** Shows a conversation from now on, until the returned function is called. */
  add(conversation: Conversation): () => void;
}

/** Options of `createLocalStore`. */
export interface LocalStoreOptions {
  /** Runs the processes to show. */
  readonly supervisor: Supervisor;
  /** Conversations to show from the start. Default: none. */
  readonly conversations?: readonly Conversation[];
  /** Includes the timeline of each process. Default `false`. */
  readonly timelines?: boolean;
  /** Pause between two changes; those in between are published together. Default 0. */
  readonly pauseMs?: number;
  /** Interval in which lengths of output are read again, in ms: they change without an event. Default: never. */
  readonly figuresMs?: number;
}

/** Makes a store of what runs in this program. It owns nothing: the supervisor and the conversations are closed by the caller. */
export function createLocalStore(options: LocalStoreOptions): LocalStore {
  const { supervisor } = options;
  const conversations = new Map<string, ReadableStore<ConversationView>>();
  const keep = createViewKeeper();
  let changed: (() => void) | null = null;
  const closers = new Map<string, () => void>();
  let last: LiveState = { ...emptyLiveState, connection: 'local' };

  /** The views of the last change while the supervisor is followed. */
  let followed: readonly ProcessView[] | null = null;
  let source: readonly ProcessView[] | null = null;

  const readProcesses = () => {
    if (followed !== null && followed === source) return last.processes;
    source = followed;
    return toSameList(keep(followed ?? supervisor.list()), last.processes);
  };
  const read = (): LiveState => {
    const processes = readProcesses();
    const shown = toSameRecord(
      Object.fromEntries([...conversations].map(([id, store]) => [id, store.getSnapshot()])),
      last.conversations,
    );
    const timelines = options.timelines === true ? readTimelines(processes) : last.timelines;
    const supervisors =
      processes === last.processes
        ? last.supervisors
        : toSameRecord(Object.fromEntries(processes.map(({ id }) => [id, supervisor.id])), last.supervisors);
    if (processes !== last.processes || shown !== last.conversations || timelines !== last.timelines)
      last = { ...last, processes, supervisors, conversations: shown, timelines };
    return last;
  };
  const readTimelines = (processes: readonly ProcessView[]) => {
    const entries = processes.map(({ id }) => {
      const timeline = supervisor.get(id)?.timeline() ?? [];
      return [id, toSameList(timeline, last.timelines[id] ?? [])] as const;
    });
    return toSameRecord(Object.fromEntries(entries), last.timelines);
  };
  const add = (conversation: Conversation) => {
    const { id } = conversation;
    const store = createConversationStore(conversation);
    conversations.set(id, store);
    if (changed !== null) closers.set(id, store.subscribe(changed));
    changed?.();
    return () => {
      if (conversations.get(id) !== store) return;
      conversations.delete(id);
      closers.get(id)?.();
      closers.delete(id);
      changed?.();
    };
  };
  for (const conversation of options.conversations ?? []) add(conversation);

  return {
    add,
    ...createSharedStore({
      ...(options.pauseMs !== undefined && { pauseMs: options.pauseMs }),
      read,
      open: (onChange) => {
        changed = onChange;
        for (const [id, store] of conversations) closers.set(id, store.subscribe(onChange));
        const subscription = supervisor.processes$.subscribe((views) => {
          followed = views;
          onChange();
        });
        const timer =
          options.figuresMs === undefined
            ? null
            : setInterval(() => {
                followed = supervisor.list();
                onChange();
              }, options.figuresMs).unref();
        return () => {
          if (timer !== null) clearInterval(timer);
          changed = null;
          followed = null;
          subscription.unsubscribe();
          for (const close of closers.values()) close();
          closers.clear();
        };
      },
    }),
  };
}

/** Makes a store of one process. */
export function createProcessStore(handle: ProcessHandle): ReadableStore<ProcessView> {
  const keep = createViewKeeper();
  return createSharedStore({
    read: () => keep([handle.view()])[0] as ProcessView,
    open: (changed) => {
      const subscription = handle.view$.subscribe({ next: changed, complete: changed });
      return () => subscription.unsubscribe();
    },
  });
}

/** Makes a store of one conversation. Text that the model writes is collected while the store has subscribers. */
export function createConversationStore(conversation: Conversation): ReadableStore<ConversationView> {
  const { id } = conversation;
  let writing = '';
  let last: ConversationView = { id, status: conversation.status, transcript: [], writing, inbox: [] };
  const read = () => {
    const transcript = toSameList(conversation.transcript, last.transcript);
    const inbox = toSameList(conversation.inbox, last.inbox);
    const next = { id, status: conversation.status, transcript, writing, inbox };
    if (!isEqualData(next, last)) last = next;
    return last;
  };
  return createSharedStore({
    read,
    open: (changed) => {
      let timer: NodeJS.Timeout | null = null;
      // Once for many events, and after the chart has taken them.
      const change = () => {
        timer ??= setTimeout(() => {
          timer = null;
          changed();
        });
      };
      const subscription = conversation.events$.subscribe({
        next: (event) => {
          if (event.type === 'text.written') writing += event.text;
          else if (['message.recorded', 'text.discarded', 'turn.ended'].includes(event.type)) writing = '';
          change();
        },
        complete: change,
      });
      return () => {
        if (timer !== null) clearTimeout(timer);
        writing = '';
        subscription.unsubscribe();
      };
    },
  });
}

/** Returns a function that gives the same object for a view as before where only its running time differs. */
export function createViewKeeper(): (views: readonly ProcessView[]) => readonly ProcessView[] {
  let kept = new Map<string, ProcessView>();
  return (views) => {
    const next = views.map((view) => {
      const before = kept.get(view.id);
      return before !== undefined && isEqualData(before, view, 'runtimeMs') ? before : view;
    });
    kept = new Map(next.map((view) => [view.id, view]));
    return next;
  };
}

/** Compares plain data; `except` names a field of both that does not count. */
export function isEqualData(a: unknown, b: unknown, except?: string): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return Object.is(a, b);
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length || Array.isArray(a) !== Array.isArray(b)) return false;
  return keys.every(
    (key) => key === except || (key in b && isEqualData(a[key as keyof typeof a], b[key as keyof typeof b])),
  );
}

/** Returns the list before if it has the same items. */
export function toSameList<T>(list: readonly T[], before: readonly T[]): readonly T[] {
  const isSame = list.length === before.length && list.every((item, index) => item === before[index]);
  return isSame ? before : list;
}

/** Returns the record before if it has the same values. */
export function toSameRecord<T>(record: Readonly<Record<string, T>>, before: Readonly<Record<string, T>>) {
  const keys = Object.keys(record);
  const isSame =
    keys.length === Object.keys(before).length && keys.every((key) => record[key] === before[key]);
  return isSame ? before : record;
}
