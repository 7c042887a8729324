import { Observable, Subject, type Subscriber } from 'rxjs';
import { GuardedObservable } from '../output/guarded-observable.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import type { Mailbox, MailboxReader, OwnedMailbox } from './mailbox.ts';
import type { Withdrawal } from './mailbox-state.ts';
import type { News } from './news.ts';
import { count, OwnerBox, type OwnerBoxDeps, type PendingNews } from './owner-box.ts';
import { toNotificationEntry, toRunningEntry } from './to-entry.ts';

/** Limit for all absent owners together; beyond it the fullest mailbox makes room. */
const MAX_PENDING = 2_000;

export interface MailboxesDeps {
  find(id: string): ProcessHandle | undefined;
  list(owner: string): readonly ProcessView[];
  /** Reports the number of news dropped before a reader or a listener received them; called when one comes. */
  onDropped(count: number): void;
  onReaderError(error: unknown): void;
}

/**
 * The mailboxes of all owners of a supervisor, and the streams of news, which show the same entries. While the mailbox of an owner
 * has no reader, news wait in it; ends are found in the list of processes when it is opened.
 */
export class Mailboxes {
  /** The news that have reached no reader or listener, then all news from now on. */
  readonly news$: Observable<News> = new Observable((subscriber) => this.#listenToAll(subscriber));
  readonly #deps: MailboxesDeps;
  readonly #boxDeps: OwnerBoxDeps;
  readonly #boxes = new Map<string, OwnerBox>();
  readonly #everybody = new Subject<News>();
  readonly #listeners = new Map<string, Subject<News>>();
  #dropped = 0;
  #published = 0;
  #isComplete = false;

  constructor(deps: MailboxesDeps) {
    this.#deps = deps;
    const onDropped = () => {
      this.#dropped += 1;
    };
    this.#boxDeps = { ...deps, onDropped };
  }

  /** Opens the mailbox of an owner, with every end that was not delivered to it. The newest reader of an owner replaces the one before. */
  open(owner: string, given?: MailboxReader): Mailbox {
    const box = this.#boxOf(owner);
    const reader = given ?? box.plainReader;
    this.#reportDropped();
    box.attach(reader);
    if (this.#isComplete) box.mailbox.complete();
    const close = () => {
      box.mailbox.detach(reader);
      this.#removeIfUnused(owner);
    };
    return toMailbox(box.mailbox, { reader, close, onReaderError: this.#deps.onReaderError });
  }

  /** `onCounted` is called once the news have reached a reader or a listener: now, or later. */
  publish(news: News, onCounted: () => void = () => {}): void {
    if (this.#isComplete) return;
    const { owner } = news;
    const mailbox = this.#boxes.get(owner)?.mailbox;
    const listener = this.#listeners.get(owner);
    const isRead = mailbox?.isAccepting === true;
    const hasListener = listener?.observed === true;
    const isCounted = isRead || hasListener || this.#everybody.observed;
    if (isRead) mailbox.add(toNotificationEntry(news));
    listener?.next(news);
    this.#everybody.next(news);
    const pending: PendingNews = { news, order: this.#published++, onCounted };
    if (!isRead && !hasListener) this.#hold(owner, pending);
    if (isCounted) count(pending);
    this.#removeIfUnused(owner);
  }

  /** Removes news that have reached no reader or listener. */
  removePending(isMeant: (news: News) => boolean): void {
    for (const [owner, box] of [...this.#boxes]) {
      for (const pending of box.pending) if (isMeant(pending.news)) box.remove(pending);
      this.#removeIfUnused(owner);
    }
  }

  /** Makes `arrived` of an owner's mailbox wait for the publication of an end. */
  expectEnd(owner: string, published: Promise<void>): void {
    this.#boxes.get(owner)?.mailbox.expect(published);
  }

  addEnd(view: FinalView): void {
    const box = this.#boxes.get(view.owner);
    if (box?.mailbox.isAccepting) box.addEnd(view);
  }

  addRunning(type: 'process.silent' | 'process.elapsed', running: { view: ProcessView; at: number }): void {
    const box = this.#boxes.get(running.view.owner);
    if (box?.mailbox.isAccepting) box.mailbox.add(toRunningEntry(type, running));
  }

  /** Retracts reminders that wait, of all owners. */
  withdraw(withdrawal: Withdrawal): void {
    for (const box of this.#boxes.values()) box.retract(withdrawal);
  }

  /** Returns the news of one owner; pending ones come first, and leave the mailbox. */
  newsOf(owner: string): Observable<News> {
    return new Observable((subscriber) => this.#listenTo(owner, subscriber));
  }

  /** Returns whether news of this owner reach a reader or a listener now. */
  isHeard(owner: string): boolean {
    return (
      this.#everybody.observed ||
      this.#listeners.get(owner)?.observed === true ||
      this.#boxes.get(owner)?.mailbox.isAccepting === true
    );
  }

  complete(): void {
    this.#isComplete = true;
    this.#everybody.complete();
    for (const subject of this.#listeners.values()) subject.complete();
    for (const box of this.#boxes.values()) box.complete();
  }

  #boxOf(owner: string): OwnerBox {
    const known = this.#boxes.get(owner);
    if (known !== undefined) return known;
    const box = new OwnerBox(owner, this.#boxDeps);
    this.#boxes.set(owner, box);
    return box;
  }

  #removeIfUnused(owner: string): void {
    if (this.#boxes.get(owner)?.isUnused === true) this.#boxes.delete(owner);
  }

  #hold(owner: string, pending: PendingNews): void {
    this.#boxOf(owner).hold(pending);
    this.#makeRoom();
  }

  #reportDropped(): void {
    if (this.#dropped > 0) this.#deps.onDropped(this.#dropped);
    this.#dropped = 0;
  }

  /** Drops the oldest news of the fullest mailbox that may lose any. */
  #makeRoom(): void {
    let pending = 0;
    for (const box of this.#boxes.values()) pending += box.pendingCount;
    if (pending <= MAX_PENDING) return;
    const fullest = [...this.#boxes.values()].toSorted((a, b) => b.pendingCount - a.pendingCount);
    for (const box of fullest) if (box.dropOldest()) return;
  }

  #listenToAll(subscriber: Subscriber<News>) {
    const subscription = this.#everybody.subscribe(subscriber);
    this.#reportDropped();
    const all = [...this.#boxes.values()].flatMap((box) => box.pending.map((each) => ({ box, each })));
    for (const { box, each } of all.toSorted((a, b) => a.each.order - b.each.order)) {
      // A subscriber that wants one only has received one only.
      if (subscriber.closed) break;
      if (each.onCounted === null || !box.isHolding(each)) continue;
      subscriber.next(each.news);
      count(each);
    }
    return subscription;
  }

  #listenTo(owner: string, subscriber: Subscriber<News>) {
    const subject = this.#listeners.get(owner) ?? new Subject<News>();
    this.#listeners.set(owner, subject);
    const subscription = subject.subscribe(subscriber);
    this.#reportDropped();
    const box = this.#boxes.get(owner);
    for (const each of box?.pending ?? []) {
      if (subscriber.closed) break;
      if (!box?.remove(each)) continue;
      subscriber.next(each.news);
      count(each);
    }
    this.#removeIfUnused(owner);
    if (this.#isComplete) subscriber.complete();
    return () => {
      subscription.unsubscribe();
      if (!subject.observed) this.#listeners.delete(owner);
    };
  }
}

function toMailbox(
  owned: OwnedMailbox,
  {
    reader,
    close,
    onReaderError,
  }: { reader: MailboxReader; close: () => void; onReaderError: (error: unknown) => void },
): Mailbox {
  const { owner, has, arrived } = owned;
  const isCurrent = () => owned.reader === reader;
  const due$ = new GuardedObservable<void>((subscriber) => owned.due$.subscribe(subscriber), onReaderError);
  return {
    ...{ owner, has, arrived, due$, close },
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
