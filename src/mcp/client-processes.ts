import { Observable, Subject } from 'rxjs';
import { createOwnProcesses, type OwnProcesses } from '../conversation/own-processes.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { ProcessView } from '../process/process-view.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { ClientPlace } from './client-place.ts';
import { createOwner } from './create-owner.ts';
import { createNoticeBox, type News, type NoticeBox } from './notice-box.ts';
import { type ChangeTiming, observeChanges, type ResourceChange } from './resource-changes.ts';

/** What one client has of a supervisor: the processes of its owner and nothing else. */
export interface ClientProcesses {
  /** Before the client's first call `null`, unless the options name it. */
  readonly owner: string | null;
  /** Whether the supervisor is there, and with it the owner. */
  readonly isPlaced: boolean;
  /** Makes it where there is none yet. @throws what making it threw; the next call tries again. */
  supervisor(place: ClientPlace): Promise<{ readonly supervisor: Supervisor; readonly owner: string }>;
  /** Something of this client runs, waits for a start, or was left alive. */
  readonly isBusy: boolean;
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
  readonly owner: string;
  readonly own: OwnProcesses;
  readonly unwatch: () => void;
}

export function createClientProcesses(options: {
  /** Default: one that no other client and no other session has. */
  readonly owner: string | null;
  readonly supervisor: Supervisor | ((place: ClientPlace) => Supervisor | Promise<Supervisor>);
  readonly timing: ChangeTiming;
}): ClientProcesses {
  const { timing } = options;
  const arrived = new Subject<Ours>();
  const news = new Subject<readonly News[]>();
  let current: Ours | null = null;
  let arriving: Promise<Ours> | null = null;
  let logging: NodeJS.Timeout | undefined;

  const log = () => {
    logging = undefined;
    const taken = notices.takeForLog();
    if (taken.length > 0) news.next(taken);
  };
  const notices = createNoticeBox(() => {
    logging ??= setTimeout(log, timing.quietMs).unref();
  });
  const arrive = async (place: ClientPlace): Promise<Ours> => {
    const { supervisor: given, owner = null } = options;
    const supervisor = typeof given === 'function' ? await given(place) : given;
    const ours = watch(supervisor, owner ?? createOwner(place.name));
    current = ours;
    arrived.next(ours);
    return ours;
  };
  const watch = (supervisor: Supervisor, owner: string): Ours => {
    const own = createOwnProcesses(supervisor, { owner, remembersAll: false });
    const unwatch = own.watch({
      onNews: (news) => {
        notices.add(news);
        return 'taken';
      },
      onWithdrawn: notices.withdraw,
    });
    return { supervisor, owner, own, unwatch };
  };
  const arriveOnce = (place: ClientPlace) => {
    arriving ??= arrive(place).catch((error) => {
      arriving = null;
      throw error;
    });
    return arriving;
  };
  // What the owner had before is there at once.
  if (typeof options.supervisor !== 'function' && options.owner !== null)
    void arriveOnce({ name: null, root: null });

  return {
    get owner() {
      return current?.owner ?? options.owner;
    },
    get isPlaced() {
      return current !== null;
    },
    get isBusy() {
      return current?.own.isBusy ?? false;
    },
    supervisor: arriveOnce,
    list: () => {
      if (current === null) return [];
      const views = [...current.supervisor.list({ owner: current.owner })];
      return views.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1));
    },
    get: (id) => {
      const handle = current?.supervisor.get(id);
      return handle?.view().owner === current?.owner ? handle : undefined;
    },
    notices,
    changes$: new Observable((subscriber) => {
      const observe = (ours: Ours) => {
        subscriber.add(observeChanges(ours, timing).subscribe(subscriber));
      };
      if (current === null) subscriber.add(arrived.subscribe(observe));
      else observe(current);
    }),
    news$: news.asObservable(),
    end: async () => {
      clearTimeout(logging);
      current?.unwatch();
      await current?.own.release(null);
    },
  };
}
