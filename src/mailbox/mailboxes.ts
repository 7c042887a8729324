import { Observable, Subject } from 'rxjs';
import { isFinal } from '../../machines/process/view.ts';
import { GuardedObservable } from '../output/guarded-observable.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import { toCompletionId } from '../process/process-id.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import { findListeningPorts } from '../readiness/listening-ports.ts';
import type { WatchNews } from '../watches/watch.ts';
import { toAttention } from './attention.ts';
import { createMailbox, type Mailbox, type MailboxReader, type OwnedMailbox } from './mailbox.ts';
import { type Displaced, findReminded, isWithdrawn, type Withdrawal } from './mailbox-state.ts';
import type { News } from './news.ts';
import { toEndEntry, toNotificationEntry, toRunningEntry } from './to-entry.ts';

/** Limit for all absent owners together; beyond it the fullest mailbox makes room. */
const MAX_PENDING = 2_000;

/**
 * The mailboxes of all owners of a supervisor, and the streams of news, which show the same entries. While the mailbox of an owner
 * has no reader, news wait in it; ends are found in the list of processes when it is opened.
 */
export interface Mailboxes {
  /** Opens the mailbox of an owner, with every end that was not delivered to it. The newest reader of an owner replaces the one before. */
  open(owner: string, reader?: MailboxReader): Mailbox;
  /** `onCounted` is called once the news have reached a reader or a listener: now, or later. */
  publish(news: News, onCounted?: () => void): void;
  /** Removes news that have reached no reader or listener. */
  removePending(isMeant: (news: News) => boolean): void;
  addEnd(view: FinalView): void;
  addRunning(type: 'process.silent' | 'process.elapsed', running: { view: ProcessView; at: number }): void;
  /** Retracts reminders that wait, of all owners. */
  withdraw(withdrawal: Withdrawal): void;
  /** The news that have reached no reader or listener, then all news from now on. */
  readonly news$: Observable<News>;
  /** Returns the news of one owner; pending ones come first, and leave the mailbox. */
  newsOf(owner: string): Observable<News>;
  /** Returns whether news of this owner reach a reader or a listener now. */
  isHeard(owner: string): boolean;
  complete(): void;
}

/** News in a mailbox without a reader. */
interface Pending {
  news: News;
  readonly order: number;
  /** `null` once it has reached a listener. */
  onCounted: (() => void) | null;
}

interface Box {
  readonly mailbox: OwnedMailbox;
  /** The shared reader of callers that open the mailbox without a reader. */
  readonly plainReader: MailboxReader;
  /** Oldest first; their entries wait in the mailbox. */
  readonly pending: Map<string, Pending>;
}

export function createMailboxes(deps: {
  find(id: string): ProcessHandle | undefined;
  list(owner: string): readonly ProcessView[];
  /** Reports the number of news dropped before a reader or a listener received them; called when one comes. */
  onDropped(count: number): void;
  onReaderError(error: unknown): void;
}): Mailboxes {
  const { find, onReaderError } = deps;
  const boxes = new Map<string, Box>();
  const everybody = new Subject<News>();
  const owners = new Map<string, Subject<News>>();
  let dropped = 0;
  let published = 0;
  let isComplete = false;

  const boxOf = (owner: string): Box => {
    const known = boxes.get(owner);
    if (known !== undefined) return known;
    const pending: Box['pending'] = new Map();
    const mailbox = createMailbox(owner, {
      onDelivered: (ids) => {
        for (const id of ids) acknowledge(id, owner);
      },
      onDisplaced: (displaced) => {
        for (const each of displaced) displace(pending, each);
      },
    });
    const box = { mailbox, plainReader: {}, pending };
    boxes.set(owner, box);
    return box;
  };
  const removeIfEmpty = (box: Box) => {
    const { owner, reader, waiting } = box.mailbox;
    if (reader === null && waiting.size === 0 && boxes.get(owner) === box) boxes.delete(owner);
  };

  /** Marks an end as delivered in the timeline, and so in the record: the next supervisor does not deliver it again. */
  const acknowledge = (id: string, owner: string) => {
    const [, processId] = /^(.*)\/\d+\/ended$/.exec(id) ?? [];
    const process = processId === undefined ? undefined : find(processId);
    if (process !== undefined && !wasDelivered(process, owner)) process.acknowledge(owner);
  };

  const displace = (pending: Box['pending'], { id, into }: Displaced) => {
    const leaving = pending.get(id);
    if (leaving === undefined) return;
    pending.delete(id);
    const heir = into === null ? undefined : pending.get(into);
    const merged = heir === undefined ? null : mergeMatches(leaving.news, heir.news);
    if (heir !== undefined && merged !== null) heir.news = merged;
    if (into === null && leaving.onCounted !== null) dropped += 1;
  };
  const reportDropped = () => {
    if (dropped > 0) deps.onDropped(dropped);
    dropped = 0;
  };
  const count = (pending: Pending) => {
    const { onCounted } = pending;
    pending.onCounted = null;
    onCounted?.();
  };
  /** Drops the oldest news of the fullest mailbox. Reminders that no listener has received stay: the number of schedules bounds them. */
  const makeRoom = () => {
    const sizes = [...boxes.values()].map((box) => box.pending.size);
    if (sizes.reduce((sum, size) => sum + size, 0) <= MAX_PENDING) return;
    const fullest = [...boxes.values()].toSorted((a, b) => b.pending.size - a.pending.size);
    for (const { mailbox, pending } of fullest) {
      const mayGiveWay = ({ news, onCounted }: Pending) => news.type !== 'schedule.due' || onCounted === null;
      const oldest = [...pending.values()].find(mayGiveWay);
      if (oldest === undefined) continue;
      mailbox.forget(oldest.news.id);
      return displace(pending, { id: oldest.news.id, into: null });
    }
  };

  const enterEnd = ({ mailbox }: Box, { view, ports }: { view: FinalView; ports: readonly number[] }) => {
    if (!mailbox.isAccepting) return;
    const id = toCompletionId(view);
    const attention = mailbox.reader?.attention?.(view) ?? toAttention(view, { inTurn: false });
    if (attention === 'ignore' || mailbox.isSettled(id)) mailbox.delivered([id]);
    else mailbox.add(toEndEntry(view, { handle: find(view.id), ports, attention }));
  };
  const addEnd = (box: Box, view: FinalView) => {
    const left = [...view.leftovers, ...view.suspects].map(({ pid }) => pid);
    if (left.length === 0) return enterEnd(box, { view, ports: [] });
    void findListeningPorts(left).then((ports) => enterEnd(box, { view, ports }));
  };
  const catchUp = (box: Box) => {
    const { mailbox, pending } = box;
    for (const each of pending.values()) count(each);
    pending.clear();
    for (const id of findReminded(mailbox)) {
      const view = find(id)?.view();
      if (view !== undefined && isEnded(view)) retract(box, { of: 'process', id });
    }
    for (const view of deps.list(mailbox.owner)) {
      if (!isEnded(view)) continue;
      const process = find(view.id);
      const isKnown = !mailbox.remembersAll && process !== undefined && wasDelivered(process, mailbox.owner);
      if (isKnown) mailbox.delivered([toCompletionId(view)]);
      else addEnd(box, view);
    }
  };
  const retract = ({ mailbox, pending }: Box, withdrawal: Withdrawal) => {
    if (mailbox.reader !== null && !mailbox.isAccepting) return;
    const meant = [...mailbox.waiting.values()].filter((entry) => isWithdrawn(entry, withdrawal));
    for (const { id } of meant) pending.delete(id);
    mailbox.retract(meant.map(({ id }) => id));
  };

  return {
    open: (owner, given) => {
      const box = boxOf(owner);
      const reader = given ?? box.plainReader;
      reportDropped();
      box.mailbox.attach(reader);
      catchUp(box);
      if (isComplete) box.mailbox.complete();
      const close = () => {
        box.mailbox.detach(reader);
        removeIfEmpty(box);
      };
      return toMailbox(box.mailbox, { reader, close, onReaderError });
    },
    publish: (news, onCounted = () => {}) => {
      if (isComplete) return;
      const box = boxOf(news.owner);
      const listener = owners.get(news.owner);
      const isRead = box.mailbox.isAccepting;
      const hasListener = listener?.observed === true;
      const isCounted = isRead || hasListener || everybody.observed;
      if (isRead) box.mailbox.add(toNotificationEntry(news));
      listener?.next(news);
      everybody.next(news);
      const pending: Pending = { news, order: published++, onCounted };
      if (!isRead && !hasListener) {
        box.pending.set(news.id, pending);
        if (!box.mailbox.add(toNotificationEntry(news))) box.pending.delete(news.id);
        makeRoom();
      }
      if (isCounted) count(pending);
      removeIfEmpty(box);
    },
    removePending: (isMeant) => {
      for (const box of [...boxes.values()]) {
        for (const { news } of [...box.pending.values()]) {
          if (!isMeant(news)) continue;
          box.pending.delete(news.id);
          box.mailbox.forget(news.id);
        }
        removeIfEmpty(box);
      }
    },
    addEnd: (view) => {
      const box = boxes.get(view.owner);
      if (box?.mailbox.isAccepting) addEnd(box, view);
    },
    addRunning: (type, running) => {
      const box = boxes.get(running.view.owner);
      if (box?.mailbox.isAccepting) box.mailbox.add(toRunningEntry(type, running));
    },
    withdraw: (withdrawal) => {
      for (const box of boxes.values()) retract(box, withdrawal);
    },
    news$: new Observable((subscriber) => {
      const subscription = everybody.subscribe(subscriber);
      reportDropped();
      const all = [...boxes.values()].flatMap((box) =>
        [...box.pending.values()].map((each) => ({ box, each })),
      );
      for (const { box, each } of all.toSorted((a, b) => a.each.order - b.each.order)) {
        // A subscriber that wants one only has received one only.
        if (subscriber.closed) break;
        if (each.onCounted === null || box.pending.get(each.news.id) !== each) continue;
        subscriber.next(each.news);
        count(each);
      }
      return subscription;
    }),
    newsOf: (owner) =>
      new Observable((subscriber) => {
        const subject = owners.get(owner) ?? new Subject<News>();
        owners.set(owner, subject);
        const subscription = subject.subscribe(subscriber);
        reportDropped();
        const box = boxes.get(owner);
        for (const each of [...(box?.pending.values() ?? [])]) {
          if (subscriber.closed) break;
          if (box?.pending.get(each.news.id) !== each) continue;
          box.pending.delete(each.news.id);
          box.mailbox.forget(each.news.id);
          subscriber.next(each.news);
          count(each);
        }
        if (box !== undefined) removeIfEmpty(box);
        if (isComplete) subscriber.complete();
        return () => {
          subscription.unsubscribe();
          if (!subject.observed) owners.delete(owner);
        };
      }),
    isHeard: (owner) =>
      everybody.observed ||
      owners.get(owner)?.observed === true ||
      boxes.get(owner)?.mailbox.isAccepting === true,
    complete: () => {
      isComplete = true;
      everybody.complete();
      for (const subject of owners.values()) subject.complete();
      for (const { mailbox, pending } of boxes.values()) {
        mailbox.complete();
        // The next supervisor counts them.
        for (const each of pending.values()) each.onCounted = null;
      }
    },
  };
}

function toMailbox(
  owned: OwnedMailbox,
  {
    reader,
    close,
    onReaderError,
  }: { reader: MailboxReader; close: () => void; onReaderError: (error: unknown) => void },
): Mailbox {
  const { owner, has } = owned;
  const isCurrent = () => owned.reader === reader;
  const due$ = new GuardedObservable<void>((subscriber) => owned.due$.subscribe(subscriber), onReaderError);
  return {
    ...{ owner, has, due$, close },
    add: (entry) => isCurrent() && owned.add(entry),
    take: (options) => (isCurrent() ? owned.take(options) : null),
    delivered: (ids) => {
      if (isCurrent()) owned.delivered(ids, reader);
    },
    retract: (ids) => {
      if (isCurrent()) owned.retract(ids);
    },
    get waiting() {
      return owned.waiting;
    },
    [Symbol.dispose]: close,
  };
}

function isEnded(view: ProcessView): view is FinalView {
  return isFinal(view.status);
}

function wasDelivered(process: ProcessHandle, owner: string): boolean {
  return process.timeline().some(({ type, detail }) => type === 'process.notified' && detail === owner);
}

function mergeMatches(older: News, newer: News): WatchNews | null {
  if (older.type !== 'watch.matched' || newer.type !== 'watch.matched') return null;
  const { matches, suppressed } = newer;
  return { ...newer, matches: matches + older.matches, suppressed: suppressed + older.matches };
}
