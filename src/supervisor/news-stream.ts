import { Observable, Subject } from 'rxjs';
import { createKeptNewsShelf, type KeptNews } from './kept-news.ts';
import type { News } from './news.ts';

/**
 * News as they are told. An owner is not always there to hear: what comes meanwhile waits for it, bounded, also where others have
 * heard it. It waits in memory: what somebody has heard is told, and does not come back under the next supervisor.
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
  /** Somebody listens to those of this owner, or to all. */
  isHeard(owner: string): boolean;
  complete(): void;
}

export function createNewsStream({
  onDropped,
}: {
  /** So many were heard by nobody, and never will be; told when somebody listens. */
  readonly onDropped: (count: number) => void;
}): NewsStream {
  const everybody = new Subject<News>();
  const owners = new Map<string, Subject<News>>();
  let dropped = 0;
  let isComplete = false;
  const kept = createKeptNewsShelf({
    onGivenWay: ({ onHeard }) => {
      if (onHeard !== null) dropped += 1;
    },
  });

  const hear = (entry: KeptNews) => {
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
      if (isComplete) return;
      const owner = owners.get(news.owner);
      const hasOwner = owner?.observed === true;
      const isHeard = hasOwner || everybody.observed;
      owner?.next(news);
      everybody.next(news);
      const entry: KeptNews = { news, onHeard };
      if (isHeard) hear(entry);
      if (!hasOwner) kept.add(entry);
    },
    withdraw: (isMeant) => {
      for (const entry of kept.list()) if (isMeant(entry.news)) kept.remove(entry);
    },
    news$: new Observable((subscriber) => {
      const subscription = everybody.subscribe(subscriber);
      tellDropped();
      for (const entry of kept.list()) {
        // Whoever wants one only has heard one only.
        if (subscriber.closed) break;
        if (entry.onHeard === null || !kept.has(entry)) continue;
        subscriber.next(entry.news);
        hear(entry);
      }
      return subscription;
    }),
    newsOf: (owner) =>
      new Observable((subscriber) => {
        if (isComplete) return subscriber.complete();
        const subject = owners.get(owner) ?? new Subject<News>();
        owners.set(owner, subject);
        const subscription = subject.subscribe(subscriber);
        tellDropped();
        for (const entry of kept.list()) {
          if (subscriber.closed) break;
          if (entry.news.owner !== owner || !kept.has(entry)) continue;
          kept.remove(entry);
          subscriber.next(entry.news);
          hear(entry);
        }
        return () => {
          subscription.unsubscribe();
          if (!subject.observed) owners.delete(owner);
        };
      }),
    isHeard: (owner) => everybody.observed || owners.get(owner)?.observed === true,
    complete: () => {
      isComplete = true;
      everybody.complete();
      for (const subject of owners.values()) subject.complete();
      kept.clear();
    },
  };
}
