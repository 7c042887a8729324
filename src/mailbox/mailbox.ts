import { Observable, Subject } from 'rxjs';
import type { FinalView } from '../process/process-view.ts';
import type { Attention } from './attention.ts';
import type { MailboxEntry } from './mailbox-entry.ts';
import {
  applyMailboxChange,
  createMailboxState,
  type Displaced,
  findDisplaced,
  isKnown,
  type MailboxChange,
  type MailboxState,
} from './mailbox-state.ts';
import { toNotice } from './notice.ts';

/** Text for all entries that wait. */
export interface Notice {
  /** The ids of its entries: pass them to `delivered`. */
  readonly ids: readonly string[];
  /** Escaped, one element for each entry; no content can end the notice or look like another one. */
  readonly text: string;
}

/**
 * The notices that wait for one owner, such as an agent: ends of its processes, silence, matches of its watches, reminders of its
 * schedules. `take` returns each entry until it is confirmed, and never again after that.
 */
export interface Mailbox extends Disposable {
  readonly owner: string;
  /** The entries that wait, oldest first. */
  readonly waiting: ReadonlyMap<string, MailboxEntry>;
  /** Returns whether an entry waits, or was delivered or retracted. */
  has(id: string): boolean;
  /** Adds an entry. Returns `false` where `has(id)` is true already. */
  add(entry: MailboxEntry): boolean;
  /**
   * Returns a notice of all waiting entries, or `null` if there are none. The entries stay until `delivered` confirms them.
   * `except` leaves out the processes for which it returns `true`.
   */
  take(options?: { readonly except?: (processId: string) => boolean }): Notice | null;
  /**
   * Confirms entries: those of a notice that is in the transcript, and those that the answer of a tool has shown (`reveals`), even
   * before they arrive.
   */
  delivered(ids: readonly string[]): void;
  /** Removes entries that are void. */
  retract(ids: readonly string[]): void;
  /** Emits when an entry waits that is worth a turn: on subscription, and whenever another one arrives. Completes with the supervisor. */
  readonly due$: Observable<void>;
  /**
   * Resolves when the ends of all processes that have ended are in the mailbox. An end enters it shortly after `ended` of the process
   * resolves: the ports of leftovers are looked up first.
   */
  arrived(): Promise<void>;
  /** Stops collecting ends. Waiting entries stay for the next reader of this owner. */
  close(): void;
}

/** Reader of a mailbox that needs more than `take` and `delivered`. */
export interface MailboxReader {
  /** Decides how much an end matters. Default: as in a conversation that is idle. */
  attention?(view: FinalView): Attention;
  /** Keeps the mailbox. Default: memory, as long as the supervisor lives. */
  readonly store?: MailboxStore;
  /** Returns whether entries are accepted now; rejected ones wait for the next reader. Default: always. */
  accepts?(): boolean;
  /** Called after each change, except the reader's own `delivered`. */
  onChange?(change: MailboxChange): void;
}

/** Memory of a reader that persists its mailbox together with its other data. */
export interface MailboxStore {
  readonly state: MailboxState;
  /** `true` if `state` has every id that was ever settled; otherwise the timelines of the processes tell which ends were delivered. */
  readonly remembersAll: boolean;
  /** Persists a change, then applies it. `settled` was persisted by the reader, in one entry with the words. */
  commit(change: MailboxChange): void;
}

/** Mailbox as seen by the code that fills it. */
export interface OwnedMailbox extends Omit<Mailbox, 'delivered' | 'close' | typeof Symbol.dispose> {
  delivered(ids: readonly string[], by?: MailboxReader): void;
  readonly reader: MailboxReader | null;
  readonly isAccepting: boolean;
  /** `true` if the store knows which ends were delivered, without the timelines. */
  readonly remembersAll: boolean;
  isSettled(id: string): boolean;
  attach(reader: MailboxReader): void;
  /** Does nothing if another reader has been attached since. */
  detach(reader: MailboxReader): void;
  /** Makes `arrived` wait for work that adds an entry. */
  expect(work: Promise<unknown>): void;
  /** Removes an entry as if it had never arrived. */
  forget(id: string): void;
  complete(): void;
}

export function createMailbox(
  owner: string,
  hooks: {
    onDelivered?(ids: readonly string[]): void;
    onDisplaced?(displaced: readonly Displaced[]): void;
  } = {},
): OwnedMailbox {
  const due = new Subject<void>();
  let reader: MailboxReader | null = null;
  let store = toMemoryStore(createMailboxState());
  const expected = new Set<Promise<unknown>>();

  const has = (id: string) => isKnown(store.state, id);
  const isDue = () => [...store.state.waiting.values()].some(({ attention }) => attention === 'turn');
  const announce = (entry: MailboxEntry) => {
    reader?.onChange?.({ type: 'arrived', entry });
    if (entry.attention === 'turn') due.next();
  };
  const add = (entry: MailboxEntry) => {
    if (has(entry.id)) return false;
    const displaced = findDisplaced(store.state, entry);
    store.commit({ type: 'arrived', entry });
    if (displaced.length > 0) {
      hooks.onDisplaced?.(displaced);
      reader?.onChange?.({ type: 'withdrawn', ids: displaced.map(({ id }) => id) });
    }
    const arrived = store.state.waiting.get(entry.id);
    if (arrived !== undefined) announce(arrived);
    return true;
  };

  return {
    owner,
    get waiting() {
      return store.state.waiting;
    },
    get reader() {
      return reader;
    },
    get isAccepting() {
      return reader !== null && (reader.accepts?.() ?? true);
    },
    get remembersAll() {
      return store.remembersAll;
    },
    has,
    isSettled: (id) => store.state.settled.has(id),
    add,
    take: ({ except = () => false } = {}) => {
      const notices = [...store.state.waiting.values()].filter((entry) => entry.kind === 'notice');
      const taken = notices.filter(({ part }) => !('id' in part && except(part.id)));
      if (taken.length === 0) return null;
      const text = toNotice(
        taken.map(({ part }) => part),
        { dropped: store.state.dropped },
      );
      return { ids: taken.map(({ id }) => id), text };
    },
    delivered: (ids, by) => {
      const left = ids.filter((id) => store.state.waiting.has(id));
      store.commit({ type: 'settled', ids });
      hooks.onDelivered?.(ids);
      if (reader !== by) reader?.onChange?.({ type: 'settled', ids: left });
    },
    retract: (ids) => {
      const left = ids.filter((id) => store.state.waiting.has(id));
      if (left.length === 0) return;
      store.commit({ type: 'withdrawn', ids: left });
      reader?.onChange?.({ type: 'withdrawn', ids: left });
    },
    due$: new Observable((subscriber) => {
      if (isDue()) subscriber.next();
      return due.subscribe(subscriber);
    }),
    arrived: async () => {
      while (expected.size > 0) await Promise.allSettled(expected);
    },
    expect: (work) => {
      expected.add(work);
      void work.finally(() => expected.delete(work));
    },
    attach: (next) => {
      // The memory of another reader is its own: what it has persisted comes back with it.
      const before = reader?.store === undefined ? store.state.waiting : new Map<string, MailboxEntry>();
      reader = next;
      store = next.store ?? toMemoryStore(store.state);
      if (next.store === undefined) for (const entry of before.values()) announce(entry);
      else for (const entry of before.values()) add(entry);
    },
    detach: (former) => {
      if (reader !== former) return;
      reader = null;
      const { waiting, settled, dropped } = store.state;
      const notices = [...waiting].filter(([, { kind }]) => kind === 'notice');
      store = toMemoryStore({ waiting: new Map(notices), settled, dropped });
    },
    forget: (id) => void store.state.waiting.delete(id),
    complete: () => due.complete(),
  };
}

function toMemoryStore(state: MailboxState): MailboxStore {
  return { state, remembersAll: false, commit: (change) => applyMailboxChange(state, change) };
}
