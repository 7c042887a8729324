import { toNotice } from '../conversation/notice.ts';
import type { Withdrawal } from '../conversation/notice-part.ts';
import type { ProcessNews } from '../conversation/own-processes.ts';
import { isWithdrawn, replaceDue } from '../conversation/waiting-due.ts';

export type News = ProcessNews;

/** What nobody asks for any more; the oldest goes first. */
const MAX_WAITING = 1_000;
const MAX_REMEMBERED = 4_000;

/**
 * What has happened to the processes of a client and was not told to its model yet. The protocol has no way to wake a model, so
 * it is told with the answer of the next call, once; what an answer shows by itself is told, too.
 */
export interface NoticeBox {
  /** Of a schedule the newest takes the place of what waits. */
  add(news: News): void;
  /** It is told to nobody any more. */
  withdraw(withdrawal: Withdrawal): void;
  /** Opened for each call of a tool, and closed by `answered` or `dropped`. */
  openCall(): NoticeCall;
  /** What was not logged yet, for people; each once. What a running call may tell itself is left for later. */
  takeForLog(): readonly News[];
}

export interface NoticeCall {
  /** The call looks at this process: while it runs, what happens to it is told by nobody else. */
  look(processId: string): void;
  /** The answer goes out and shows these. Gives the notice that goes with it; `null` where there is none. */
  answered(reveals: readonly string[]): string | null;
  /** There will be no answer. */
  dropped(): void;
}

/** `onChange` is called when there may be something to log. */
export function createNoticeBox(onChange: () => void): NoticeBox {
  const waiting = new Map<string, News>();
  const unlogged = new Map<string, News>();
  const told = new Set<string>();
  const calls = new Set<ReadonlySet<string>>();

  const tell = (id: string) => {
    waiting.delete(id);
    told.add(id);
    dropOldest(told, MAX_REMEMBERED);
  };
  const forgetRunning = (processId: string) => {
    for (const [id, { part }] of waiting) {
      if (isOfRunning(part) && part.id === processId) waiting.delete(id);
    }
  };
  const isFree = ({ part }: News, own?: ReadonlySet<string>) =>
    !('id' in part) || [...calls].every((call) => call === own || !call.has(part.id));

  return {
    add(news) {
      if (told.has(news.id)) return;
      // Whoever is told of the end need not be told that it ran for long.
      if (news.view !== null) forgetRunning(news.view.id);
      replaceDue(waiting, news);
      replaceDue(unlogged, news);
      dropOldest(waiting, MAX_WAITING);
      dropOldest(unlogged, MAX_WAITING);
      onChange();
    },
    withdraw(withdrawal) {
      for (const items of [waiting, unlogged])
        for (const [id, news] of items) if (isWithdrawn(news, withdrawal)) items.delete(id);
    },
    openCall() {
      const looked = new Set<string>();
      calls.add(looked);
      const close = () => {
        calls.delete(looked);
        if (unlogged.size > 0) onChange();
      };
      return {
        look: (processId) => void looked.add(processId),
        answered(reveals) {
          for (const id of reveals) {
            tell(id);
            unlogged.delete(id);
          }
          const taken = [...waiting.values()].filter((news) => isFree(news, looked));
          for (const { id } of taken) tell(id);
          close();
          return taken.length === 0 ? null : toNotice(taken.map(({ part }) => part));
        },
        dropped: close,
      };
    },
    takeForLog() {
      const taken = [...unlogged.values()].filter((news) => isFree(news));
      for (const { id } of taken) unlogged.delete(id);
      return taken;
    },
  };
}

function dropOldest(
  items: { readonly size: number; keys(): Iterator<string>; delete(key: string): boolean },
  max: number,
): void {
  while (items.size > max) items.delete(String(items.keys().next().value));
}

/** What is said of a process that runs, and no matter once it has ended. Lines that matched still matter. */
function isOfRunning(part: News['part']): part is Extract<News['part'], { readonly id: string }> {
  return part.type === 'silent' || part.type === 'elapsed' || part.type === 'quiet';
}
