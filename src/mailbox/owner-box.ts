import type { ProcessHandle } from '../process/process-handle.ts';
import { toCompletionId } from '../process/process-id.ts';
import { type FinalView, isEnded, type ProcessView } from '../process/process-view.ts';
import { findListeningPorts } from '../readiness/listening-ports.ts';
import type { WatchNews } from '../watches/watch.ts';
import { toAttention } from './attention.ts';
import { createMailbox, type MailboxReader, type OwnedMailbox } from './mailbox.ts';
import { type Displaced, findReminded, isWithdrawn, type Withdrawal } from './mailbox-state.ts';
import type { News } from './news.ts';
import { toEndEntry, toNotificationEntry } from './to-entry.ts';

/** News in a mailbox without a reader. */
export interface PendingNews {
  news: News;
  /** Number of the publication, ascending over all owners. */
  readonly order: number;
  /** `null` once the news have reached a listener. */
  onCounted: (() => void) | null;
}

export interface OwnerBoxDeps {
  find(id: string): ProcessHandle | undefined;
  list(owner: string): readonly ProcessView[];
  /** Called for news dropped before a reader or a listener received them. */
  onDropped(): void;
}

/** The mailbox of one owner, with the news that wait in it while it has no reader. */
export class OwnerBox {
  readonly mailbox: OwnedMailbox;
  /** The shared reader of callers that open the mailbox without a reader. */
  readonly plainReader: MailboxReader = {};
  readonly #deps: OwnerBoxDeps;
  /** Oldest first; their entries wait in the mailbox. */
  readonly #pending = new Map<string, PendingNews>();

  constructor(owner: string, deps: OwnerBoxDeps) {
    this.#deps = deps;
    this.mailbox = createMailbox(owner, {
      onDelivered: (ids) => {
        for (const id of ids) this.#acknowledge(id);
      },
      onDisplaced: (displaced) => {
        for (const each of displaced) this.#displace(each);
      },
    });
  }

  /** `true` where the box can be forgotten: a new one would be the same. */
  get isUnused(): boolean {
    return this.mailbox.reader === null && this.mailbox.waiting.size === 0;
  }

  /** Oldest first. */
  get pending(): readonly PendingNews[] {
    return [...this.#pending.values()];
  }

  get pendingCount(): number {
    return this.#pending.size;
  }

  /** Gives the mailbox a new reader, and adds every end that was not delivered to the owner. */
  attach(reader: MailboxReader): void {
    this.mailbox.attach(reader);
    for (const each of this.#pending.values()) count(each);
    this.#pending.clear();
    this.#retractEnded();
    this.#addUndeliveredEnds();
  }

  /** Keeps news until a reader or a listener comes. */
  hold(pending: PendingNews): void {
    const { news } = pending;
    this.#pending.set(news.id, pending);
    if (!this.mailbox.add(toNotificationEntry(news))) this.#pending.delete(news.id);
  }

  isHolding(pending: PendingNews): boolean {
    return this.#pending.get(pending.news.id) === pending;
  }

  /** Removes pending news as if they had never arrived. Returns `false` if they have left already. */
  remove(pending: PendingNews): boolean {
    if (!this.isHolding(pending)) return false;
    this.#pending.delete(pending.news.id);
    this.mailbox.forget(pending.news.id);
    return true;
  }

  /**
   * Drops the oldest pending news; returns `false` if there are none. Reminders that no listener has received stay: the number of
   * schedules bounds them.
   */
  dropOldest(): boolean {
    const oldest = this.pending.find(
      ({ news, onCounted }) => news.type !== 'schedule.due' || onCounted === null,
    );
    if (oldest === undefined) return false;
    this.mailbox.forget(oldest.news.id);
    this.#displace({ id: oldest.news.id, into: null });
    return true;
  }

  /** Adds an end, at once or when the ports of its leftovers are known. */
  addEnd(view: FinalView): void {
    const left = [...view.leftovers, ...view.suspects].map(({ pid }) => pid);
    if (left.length === 0) this.#enterEnd(view, []);
    else
      this.mailbox.expect(
        findListeningPorts(left).then((ports) => this.#enterEnd(this.#latest(view), ports)),
      );
  }

  /** Retracts reminders that wait. */
  retract(withdrawal: Withdrawal): void {
    if (this.mailbox.reader !== null && !this.mailbox.isAccepting) return;
    const meant = [...this.mailbox.waiting.values()].filter((entry) => isWithdrawn(entry, withdrawal));
    for (const { id } of meant) this.#pending.delete(id);
    this.mailbox.retract(meant.map(({ id }) => id));
  }

  complete(): void {
    this.mailbox.complete();
    // The next supervisor counts them.
    for (const each of this.#pending.values()) each.onCounted = null;
  }

  /** Returns the current view of an ended attempt, in which leftovers may have ended. */
  #latest(view: FinalView): FinalView {
    const latest = this.#deps.find(view.id)?.view();
    return latest !== undefined && isEnded(latest) && latest.attempt === view.attempt ? latest : view;
  }

  #enterEnd(view: FinalView, ports: readonly number[]): void {
    const { mailbox } = this;
    if (!mailbox.isAccepting) return;
    const id = toCompletionId(view);
    const attention = mailbox.reader?.attention?.(view) ?? toAttention(view, { inTurn: false });
    if (attention === 'ignore' || mailbox.isSettled(id)) mailbox.delivered([id]);
    else mailbox.add(toEndEntry(view, { handle: this.#deps.find(view.id), ports, attention }));
  }

  /** Retracts the reminders of processes that have ended meanwhile. */
  #retractEnded(): void {
    for (const id of findReminded(this.mailbox)) {
      const view = this.#deps.find(id)?.view();
      if (view !== undefined && isEnded(view)) this.retract({ of: 'process', id });
    }
  }

  #addUndeliveredEnds(): void {
    const { mailbox } = this;
    for (const view of this.#deps.list(mailbox.owner)) {
      if (!isEnded(view)) continue;
      const process = this.#deps.find(view.id);
      const isKnown = !mailbox.remembersAll && process !== undefined && wasDelivered(process, mailbox.owner);
      if (isKnown) mailbox.delivered([toCompletionId(view)]);
      else this.addEnd(view);
    }
  }

  /** Marks an end as delivered in the timeline, and so in the record: the next supervisor does not deliver it again. */
  #acknowledge(id: string): void {
    const [, processId] = /^(.*)\/\d+\/ended$/.exec(id) ?? [];
    const process = processId === undefined ? undefined : this.#deps.find(processId);
    const { owner } = this.mailbox;
    if (process !== undefined && !wasDelivered(process, owner)) process.acknowledge(owner);
  }

  #displace({ id, into }: Displaced): void {
    const leaving = this.#pending.get(id);
    if (leaving === undefined) return;
    this.#pending.delete(id);
    const heir = into === null ? undefined : this.#pending.get(into);
    const merged = heir === undefined ? null : mergeMatches(leaving.news, heir.news);
    if (heir !== undefined && merged !== null) heir.news = merged;
    if (into === null && leaving.onCounted !== null) this.#deps.onDropped();
  }
}

/** Notes that news have reached a reader or a listener. */
export function count(pending: PendingNews): void {
  const { onCounted } = pending;
  pending.onCounted = null;
  onCounted?.();
}

function wasDelivered(process: ProcessHandle, owner: string): boolean {
  return process.timeline().some(({ type, detail }) => type === 'process.notified' && detail === owner);
}

function mergeMatches(older: News, newer: News): WatchNews | null {
  if (older.type !== 'watch.matched' || newer.type !== 'watch.matched') return null;
  const { matches, suppressed } = newer;
  return { ...newer, matches: matches + older.matches, suppressed: suppressed + older.matches };
}
