import { Observable, Subject } from 'rxjs';
import { createOwnProcesses, type OwnProcesses } from '../conversation/own-processes.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { ProcessView } from '../process/process-view.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { createNoticeBox, type News, type NoticeBox } from './notice-box.ts';
import { type ChangeTiming, observeChanges, type ResourceChange } from './resource-changes.ts';

/** What one client has of a supervisor: the processes of its owner and nothing else. */
export interface ClientProcesses {
  readonly owner: string;
  /** Makes it where there is none yet. @throws what making it threw; the next call tries again. */
  supervisor(): Promise<Supervisor>;
  /** Newest first; empty before there is a supervisor. */
  list(): readonly ProcessView[];
  /** A process of another owner is not there. */
  get(id: string): ProcessHandle | undefined;
  readonly notices: NoticeBox;
  /** What changes, from now on, also of a supervisor that is made later. */
  readonly changes$: Observable<ResourceChange>;
  /** News for people, together where they came together. */
  readonly news$: Observable<readonly News[]>;
  /** Ends the processes of this owner; what comes later is not told. */
  end(): Promise<void>;
}

/** A supervisor, and what of it is ours. */
interface Ours {
  readonly supervisor: Supervisor;
  readonly own: OwnProcesses;
  readonly unwatch: () => void;
}

export function createClientProcesses(options: {
  readonly owner: string;
  readonly supervisor: Supervisor | (() => Supervisor | Promise<Supervisor>);
  readonly timing: ChangeTiming;
}): ClientProcesses {
  const { owner, timing } = options;
  const arrived = new Subject<Supervisor>();
  const news = new Subject<readonly News[]>();
  let current: Ours | null = null;
  let arriving: Promise<Supervisor> | null = null;
  let logging: NodeJS.Timeout | undefined;

  const log = () => {
    logging = undefined;
    const taken = notices.takeForLog();
    if (taken.length > 0) news.next(taken);
  };
  const notices = createNoticeBox(() => {
    logging ??= setTimeout(log, timing.quietMs).unref();
  });
  const arrive = async (): Promise<Supervisor> => {
    const { supervisor: given } = options;
    const supervisor = typeof given === 'function' ? await given() : given;
    const own = createOwnProcesses(supervisor, { owner, remembersAll: false });
    const unwatch = own.watch({
      onNews: (news) => {
        notices.add(news);
        return 'taken';
      },
      onWithdrawn: notices.withdraw,
    });
    current = { supervisor, own, unwatch };
    arrived.next(supervisor);
    return supervisor;
  };
  const supervisor = () => {
    arriving ??= arrive().catch((error) => {
      arriving = null;
      throw error;
    });
    return arriving;
  };
  if (typeof options.supervisor !== 'function') void supervisor();

  return {
    owner,
    supervisor,
    list: () => {
      const views = [...(current?.supervisor.list({ owner }) ?? [])];
      return views.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1));
    },
    get: (id) => {
      const handle = current?.supervisor.get(id);
      return handle?.view().owner === owner ? handle : undefined;
    },
    notices,
    changes$: new Observable((subscriber) => {
      const watch = (each: Supervisor) => {
        subscriber.add(observeChanges({ supervisor: each, owner }, timing).subscribe(subscriber));
      };
      if (current === null) subscriber.add(arrived.subscribe(watch));
      else watch(current.supervisor);
    }),
    news$: news.asObservable(),
    end: async () => {
      clearTimeout(logging);
      current?.unwatch();
      await current?.own.release(null);
    },
  };
}
