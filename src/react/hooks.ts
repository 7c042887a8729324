import { useMemo, useSyncExternalStore } from 'react';
import type { Conversation } from '../conversation/conversation.ts';
import type { ConversationView, LiveState, LiveStore, ReadableStore } from '../live/live-state.ts';
import { createConversationStore, createProcessStore, toSameList } from '../live/local-store.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { ProcessView } from '../process/process-view.ts';
import { useStore } from './troupe-provider.ts';

/** Choice of processes. */
export interface ProcessFilter {
  /** Omits ended processes. Default: they are included. */
  readonly live?: boolean;
  /** Shows processes of this owner only, such as the id of a conversation. Default: of all owners. */
  readonly owner?: string;
  /** Shows processes with this label only. Default: all. */
  readonly label?: string;
}

/**
 * Returns the process as it is now, and renders again when it changes. A handle is of this program and needs no provider; an id is looked up in
 * the store of the provider.
 *
 * @returns `null` for an id that the store does not have (any more).
 */
export function useProcess(handle: ProcessHandle): ProcessView;
export function useProcess(handleOrId: ProcessHandle | string): ProcessView | null;
export function useProcess(given: ProcessHandle | string): ProcessView | null {
  const store = useStore('useProcess', { isNeeded: typeof given === 'string' });
  const process = useMemo(
    (): ReadableStore<ProcessView | null> =>
      typeof given === 'string'
        ? select(store as LiveStore, ({ processes }) => processes.find(({ id }) => id === given) ?? null)
        : createProcessStore(given),
    [given, store],
  );
  return useReadable(process);
}

/** Returns the processes of the provider's store, live ones first. The list is the same until one of its processes changes. */
export function useProcesses({ live, owner, label }: ProcessFilter = {}): readonly ProcessView[] {
  const store = useStore('useProcesses', { isNeeded: true }) as LiveStore;
  const chosen = useMemo(() => {
    let before: readonly ProcessView[] = [];
    const choose = ({ processes }: LiveState) => {
      const list = processes.filter(
        (view) =>
          (live !== true || !('endedAt' in view)) &&
          (owner === undefined || view.owner === owner) &&
          (label === undefined || view.label === label),
      );
      before = toSameList(list, before);
      return before;
    };
    return select(store, choose);
  }, [store, live, owner, label]);
  return useReadable(chosen);
}

/**
 * Returns the conversation as it is now, with the text that the model is writing. A conversation is of this program and needs no provider; an
 * id is looked up in the store of the provider.
 *
 * @returns `null` for an id that the store does not have (any more).
 */
export function useConversation(conversation: Conversation): ConversationView;
export function useConversation(conversationOrId: Conversation | string): ConversationView | null;
export function useConversation(given: Conversation | string): ConversationView | null {
  const store = useStore('useConversation', { isNeeded: typeof given === 'string' });
  const conversation = useMemo(
    (): ReadableStore<ConversationView | null> =>
      typeof given === 'string'
        ? select(store as LiveStore, ({ conversations }) => conversations[given] ?? null)
        : createConversationStore(given),
    [given, store],
  );
  return useReadable(conversation);
}

/** Returns the state of the connection of the provider's store; see `LiveState.connection`. */
export function useConnection(): LiveState['connection'] {
  const store = useStore('useConnection', { isNeeded: true }) as LiveStore;
  return useReadable(useMemo(() => select(store, ({ connection }) => connection), [store]));
}

/** Returns a part of a store. `choose` returns the same object for the same part. */
function select<T>(store: LiveStore, choose: (state: LiveState) => T): ReadableStore<T> {
  return {
    getSnapshot: () => choose(store.getSnapshot()),
    getServerSnapshot: () => choose(store.getServerSnapshot()),
    subscribe: store.subscribe,
  };
}

function useReadable<T>({ subscribe, getSnapshot, getServerSnapshot }: ReadableStore<T>): T {
  return useSyncExternalStore(subscribe, getSnapshot, getServerSnapshot);
}
