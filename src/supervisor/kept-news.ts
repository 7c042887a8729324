import type { News } from './news.ts';

/** News that wait for somebody. */
export interface KeptNews {
  readonly news: News;
  /** `null` once somebody has heard it. */
  onHeard: (() => void) | null;
}

/** An owner that is never there loses its own oldest news, and nobody else's. */
const MAX_OF_OWNER = 200;
/** Of all owners together: whoever has most waiting gives way. */
const MAX_OF_ALL = 2_000;

/** What waits, oldest first. It is bounded; only a reminder that nobody has heard yet never gives way: the number of schedules bounds those. */
export interface KeptNewsShelf {
  add(entry: KeptNews): void;
  remove(entry: KeptNews): void;
  /** Not heard, withdrawn or dropped meanwhile. */
  has(entry: KeptNews): boolean;
  /** As it is now. */
  list(): readonly KeptNews[];
  clear(): void;
}

export function createKeptNewsShelf({
  onGivenWay,
}: {
  readonly onGivenWay: (entry: KeptNews) => void;
}): KeptNewsShelf {
  const kept = new Set<KeptNews>();

  const makeRoom = ({ news }: KeptNews) => {
    const kin = [...kept].filter((each) => mayGiveWay(each) && isReminder(each) === isReminder({ news }));
    const own = kin.filter((each) => each.news.owner === news.owner);
    const oldest =
      own.length > MAX_OF_OWNER ? own[0] : kin.length > MAX_OF_ALL ? oldestOfMost(kin) : undefined;
    if (oldest === undefined) return;
    kept.delete(oldest);
    onGivenWay(oldest);
  };

  return {
    add: (entry) => {
      kept.add(entry);
      makeRoom(entry);
    },
    remove: (entry) => void kept.delete(entry),
    has: (entry) => kept.has(entry),
    list: () => [...kept],
    clear: () => kept.clear(),
  };
}

function isReminder({ news }: Pick<KeptNews, 'news'>): boolean {
  return news.type === 'schedule.due';
}

function mayGiveWay(entry: KeptNews): boolean {
  return !isReminder(entry) || entry.onHeard === null;
}

function oldestOfMost(entries: readonly KeptNews[]): KeptNews | undefined {
  const byOwner = Map.groupBy(entries, ({ news }) => news.owner);
  const [most = []] = [...byOwner.values()].toSorted((a, b) => b.length - a.length);
  return most[0];
}
