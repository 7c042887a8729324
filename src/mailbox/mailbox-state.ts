import type { MailboxEntry } from './mailbox-entry.ts';
import type { NoticePart } from './notice-part.ts';

/** Limit for reminders, and for other notices of processes; beyond it the oldest one is dropped. A program bounds the entries that it adds itself. */
const MAX_WAITING = 1_000;

/** Limit for settled ids; beyond it the oldest are forgotten. */
const MAX_SETTLED = 100_000;

/** The content of a mailbox: a fold over its changes, the same when a change happens and when a journal is replayed. */
export interface MailboxState {
  /** Oldest first. */
  readonly waiting: Map<string, MailboxEntry>;
  /** Ids that were delivered, revealed or retracted, and never enter again. */
  readonly settled: Set<string>;
  /** Number of notices dropped for lack of room since the last delivery. */
  dropped: number;
}

export type MailboxChange =
  | { readonly type: 'arrived'; readonly entry: MailboxEntry }
  /** The entries left undelivered: they are void, or made room for others. */
  | { readonly type: 'withdrawn'; readonly ids: readonly string[] }
  /** The entries were delivered in a notice, or in the answer of a tool. */
  | { readonly type: 'settled'; readonly ids: readonly string[] };

/** A schedule, or a process with all of its schedules: their reminders that still wait are void. */
export interface Withdrawal {
  readonly of: 'schedule' | 'process';
  readonly id: string;
}

/** An entry that leaves because another one arrives. `into`: the entry that counts it, if any. */
export interface Displaced {
  readonly id: string;
  readonly into: string | null;
}

export function createMailboxState(): MailboxState {
  return { waiting: new Map(), settled: new Set(), dropped: 0 };
}

/** Returns whether an entry waits, or has left. */
export function isKnown({ waiting, settled }: MailboxState, id: string): boolean {
  return waiting.has(id) || settled.has(id);
}

export function applyMailboxChange(state: MailboxState, change: MailboxChange): void {
  if (change.type === 'arrived') return arrive(state, change.entry);
  settle(state, change.ids);
  if (change.type === 'settled' && change.ids.length > 0) state.dropped = 0;
}

/** Returns the entries that leave when this one arrives. */
export function findDisplaced({ waiting }: MailboxState, entry: MailboxEntry): readonly Displaced[] {
  const replaces = ['due', 'ended'].includes(partOf(entry)?.type ?? '');
  const replaced = (replaces ? [...waiting.values()] : []).flatMap((each): Displaced[] => {
    if (isEarlierReminder(each, entry)) return [{ id: each.id, into: entry.id }];
    return isSupersededBy(each, entry) ? [{ id: each.id, into: null }] : [];
  });
  if (!isBounded(entry) || waiting.size < MAX_WAITING) return replaced;
  const gone = new Set(replaced.map(({ id }) => id));
  const kin = [...waiting.values()].filter((each) => isKin(each, entry) && !gone.has(each.id));
  const surplus = kin.slice(0, Math.max(0, kin.length + 1 - MAX_WAITING));
  const behind = [...kin.slice(surplus.length), entry];
  return [...replaced, ...surplus.map((each) => ({ id: each.id, into: findNextMatch(behind, each) }))];
}

/** Returns whether an entry is a reminder of the withdrawn schedule, or of a schedule of the withdrawn process. */
export function isWithdrawn(entry: MailboxEntry, { of, id }: Withdrawal): boolean {
  const part = partOf(entry);
  if (part?.type !== 'due') return false;
  return of === 'schedule' ? part.scheduleId === id : part.processId === id;
}

/** Returns the ids of the processes whose schedules have reminders waiting. */
export function findReminded({
  waiting,
}: {
  readonly waiting: ReadonlyMap<string, MailboxEntry>;
}): ReadonlySet<string> {
  const ids = [...waiting.values()].map((entry) => {
    const part = partOf(entry);
    return part?.type === 'due' ? part.processId : null;
  });
  return new Set(ids.filter((id) => id !== null));
}

function arrive(state: MailboxState, entry: MailboxEntry): void {
  const { waiting, settled } = state;
  if (settled.has(entry.id)) return;
  const displaced = waiting.has(entry.id) ? [] : findDisplaced(state, entry);
  let arriving = entry;
  for (const { id, into } of displaced) {
    const leaving = waiting.get(id);
    const heir = into === entry.id ? arriving : into === null ? undefined : waiting.get(into);
    if (leaving !== undefined && heir !== undefined) {
      const counted = withCountOf(leaving, heir);
      if (into === entry.id) arriving = counted;
      else waiting.set(counted.id, counted);
    } else if (leaving !== undefined && !isSupersededBy(leaving, entry)) state.dropped += 1;
    settle(state, [id]);
  }
  waiting.set(arriving.id, arriving);
}

function settle({ waiting, settled }: MailboxState, ids: readonly string[]): void {
  for (const id of ids) {
    waiting.delete(id);
    settled.add(id);
  }
  for (const oldest of settled) {
    if (settled.size <= MAX_SETTLED) break;
    settled.delete(oldest);
  }
}

/** Returns whether both are reminders of one schedule. Only the newest waits: it replaces the earlier one, and counts it. */
function isEarlierReminder(waiting: MailboxEntry, arriving: MailboxEntry): boolean {
  const [earlier, newer] = [partOf(waiting), partOf(arriving)];
  if (earlier?.type !== 'due' || newer?.type !== 'due') return false;
  return earlier.scheduleId === newer.scheduleId && waiting.id !== arriving.id;
}

/** Returns whether the end of a process replaces a notice that it was silent or took long. Lines that matched still matter. */
function isSupersededBy(waiting: MailboxEntry, arriving: MailboxEntry): boolean {
  const [earlier, newer] = [partOf(waiting), partOf(arriving)];
  if (newer?.type !== 'ended') return false;
  const isOfRun = earlier?.type === 'silent' || earlier?.type === 'elapsed' || earlier?.type === 'quiet';
  return isOfRun && earlier.id === newer.id;
}

function isBounded(entry: MailboxEntry): boolean {
  return entry.kind === 'notice' && entry.part.type !== 'told';
}

/** Reminders displace reminders, other notices other notices. */
function isKin(one: MailboxEntry, other: MailboxEntry): boolean {
  if (!isBounded(one) || !isBounded(other)) return false;
  return (partOf(one)?.type === 'due') === (partOf(other)?.type === 'due');
}

/** Finds the next matches of the same process, in which dropped ones are counted. */
function findNextMatch(behind: readonly MailboxEntry[], leaving: MailboxEntry): string | null {
  const part = partOf(leaving);
  if (part?.type !== 'matched') return null;
  const next = behind.find((each) => {
    const other = partOf(each);
    return other?.type === 'matched' && other.id === part.id;
  });
  return next?.id ?? null;
}

function withCountOf(leaving: MailboxEntry, heir: MailboxEntry): MailboxEntry {
  const [from, to] = [partOf(leaving), partOf(heir)];
  if (heir.kind === 'message') return heir;
  if (from?.type === 'due' && to?.type === 'due')
    return { ...heir, part: { ...to, missed: to.missed + from.missed + 1 } };
  if (from?.type === 'matched' && to?.type === 'matched')
    return { ...heir, part: { ...to, matches: to.matches + from.matches } };
  return heir;
}

function partOf(entry: MailboxEntry): NoticePart | null {
  return entry.kind === 'notice' ? entry.part : null;
}
