import { Observable, Subject } from 'rxjs';
import type { ScheduleNews } from './schedules/schedule.ts';
import type { WatchNews } from './watches/watch.ts';

export type News = WatchNews | ScheduleNews;

/** Of all owners together; the oldest gives way. */
const MAX_KEPT = 200;

/**
 * News as they are told. An owner is not always there to hear: what comes meanwhile waits for it, bounded, also where others have
 * heard it.
 */
export interface NewsStream {
  /** `onHeard` is called once somebody has heard it: now, or later. */
  tell(news: News, onHeard?: () => void): void;
  /** Whoever has not heard it yet never will. */
  withdraw(isMeant: (news: News) => boolean): void;
  /** All of them, from now on; what nobody has heard comes first. */
  readonly news$: Observable<News>;
  /** Those of one owner, with all that came while it did not listen. */
  newsOf(owner: string): Observable<News>;
  complete(): void;
}

interface Kept {
  readonly news: News;
  /** `null` once somebody has heard it. */
  onHeard: (() => void) | null;
}

export function createNewsStream({
  onDropped,
}: {
  /** So many were heard by nobody, and never will be; told when somebody listens. */
  readonly onDropped: (count: number) => void;
}): NewsStream {
  const everybody = new Subject<News>();
  const owners = new Map<string, Subject<News>>();
  const kept = new Map<string, Kept>();
  let dropped = 0;

  const keep = (entry: Kept) => {
    kept.set(entry.news.id, entry);
    for (const [id, { onHeard }] of kept) {
      if (kept.size <= MAX_KEPT) return;
      kept.delete(id);
      if (onHeard !== null) dropped += 1;
    }
  };

  const hear = (entry: Kept) => {
    const { onHeard } = entry;
    entry.onHeard = null;
    onHeard?.();
  };

  const tellDropped = () => {
    if (dropped > 0) onDropped(dropped);
    dropped = 0;
  };

  return {
    tell: (news, onHeard = () => {}) => {
      const owner = owners.get(news.owner);
      const hasOwner = owner?.observed === true;
      const isHeard = hasOwner || everybody.observed;
      owner?.next(news);
      everybody.next(news);
      const entry: Kept = { news, onHeard };
      if (isHeard) hear(entry);
      if (!hasOwner) keep(entry);
    },
    withdraw: (isMeant) => {
      for (const { news } of [...kept.values()]) if (isMeant(news)) kept.delete(news.id);
    },
    news$: new Observable((subscriber) => {
      const subscription = everybody.subscribe(subscriber);
      tellDropped();
      for (const entry of [...kept.values()]) {
        if (entry.onHeard === null) continue;
        subscriber.next(entry.news);
        hear(entry);
      }
      return subscription;
    }),
    newsOf: (owner) =>
      new Observable((subscriber) => {
        const subject = owners.get(owner) ?? new Subject<News>();
        owners.set(owner, subject);
        const subscription = subject.subscribe(subscriber);
        tellDropped();
        for (const entry of [...kept.values()]) {
          if (entry.news.owner !== owner) continue;
          kept.delete(entry.news.id);
          subscriber.next(entry.news);
          hear(entry);
        }
        return () => {
          subscription.unsubscribe();
          if (!subject.observed) owners.delete(owner);
        };
      }),
    complete: () => {
      everybody.complete();
      for (const subject of owners.values()) subject.complete();
      kept.clear();
    },
  };
}
