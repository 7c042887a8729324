import { Observable, Subject } from 'rxjs';
import { createOwnProcesses, type OwnProcesses } from '../conversation/own-processes.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { ProcessView } from '../process/process-view.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import {
  type OpenedToolHost,
  openToolHost,
  type ToolHost,
  type ToolHostOptions,
} from '../tools/tool-host.ts';
import type { ClientPlace } from './client-place.ts';
import { createOwner } from './create-owner.ts';
import { createNoticeLog, type LogNotice, type NoticeLog } from './notice-log.ts';
import { type ChangeTiming, observeChanges, type ResourceChange } from './resource-changes.ts';

/** The view of one client on a supervisor: the processes of its owner only. */
export interface ClientProcesses {
  /** `null` before the client's first call, unless the options name it. */
  readonly owner: string | null;
  /** The supervisor exists, and with it the owner. */
  readonly isPlaced: boolean;
  /** Returns the tools on the supervisor, which is created on the first call. @throws what the creation threw; the next call tries again. */
  open(place: ClientPlace): Promise<{ readonly host: ToolHost; readonly log: NoticeLog }>;
  /** A process of this client is alive or queued, or has live leftovers. */
  readonly isBusy: boolean;
  /** Returns the processes, newest first. */
  list(): readonly ProcessView[];
  /** Returns `undefined` also for processes of another owner. */
  get(id: string): ProcessHandle | undefined;
  /** Changes from now on, also of a supervisor that is created later. */
  readonly changes$: Observable<ResourceChange>;
  /** Notices for people, one for what came together. */
  readonly logs$: Observable<LogNotice>;
  /** Closes the tools and the mailbox. With `kill` it ends the processes of this owner. */
  end(options: { readonly kill: boolean }): Promise<void>;
}

/** A supervisor with the owner, tools and processes of this client. */
interface Ours {
  readonly supervisor: Supervisor;
  readonly owner: string;
  readonly own: OwnProcesses;
  readonly host: OpenedToolHost;
  readonly log: NoticeLog;
}

export function createClientProcesses(options: {
  /** Default: an owner that no other client or session has. */
  readonly owner: string | null;
  readonly supervisor: Supervisor | ((place: ClientPlace) => Supervisor | Promise<Supervisor>);
  readonly timing: ChangeTiming;
  /** Policy, tools and grants of the client. */
  readonly host: Pick<ToolHostOptions, 'tools' | 'policy' | 'grants'>;
}): ClientProcesses {
  const { timing } = options;
  const arrived = new Subject<Ours>();
  const logs = new Subject<LogNotice>();
  let current: Ours | null = null;
  let arriving: Promise<Ours> | null = null;
  let logging: NodeJS.Timeout | undefined;

  const tellLog = () => {
    logging = undefined;
    const notice = current?.log.take() ?? null;
    if (notice !== null) logs.next(notice);
  };
  const arrive = async (place: ClientPlace): Promise<Ours> => {
    const { supervisor: given, owner = null } = options;
    const supervisor = typeof given === 'function' ? await given(place) : given;
    const ours = openOurs(supervisor, owner ?? createOwner(place.name));
    current = ours;
    // From now on its changes are logged.
    void ours.host.mailbox;
    arrived.next(ours);
    return ours;
  };
  const openOurs = (supervisor: Supervisor, owner: string): Ours => {
    const host = openToolHost({
      ...{ ...options.host, supervisor, owner },
      // A notice comes with an answer and wakes no model: a model that relied on it would wait forever.
      notices: 'next-answer',
      mailbox: () => log.reader,
    });
    const log = createNoticeLog({
      isInUse: host.isInUse,
      onChange: () => {
        logging ??= setTimeout(tellLog, timing.quiet).unref();
      },
    });
    return { supervisor, owner, host, log, own: createOwnProcesses(supervisor, owner) };
  };
  const arriveOnce = (place: ClientPlace) => {
    arriving ??= arrive(place).catch((error) => {
      arriving = null;
      throw error;
    });
    return arriving;
  };
  // Processes that the owner had before are there at once.
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
    open: arriveOnce,
    list: () => {
      if (current === null) return [];
      const views = [...current.supervisor.list({ owner: current.owner })];
      return views.sort((a, b) => b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1));
    },
    get: (id) => {
      const handle = current?.supervisor.get(id);
      return handle?.view().owner === current?.owner ? handle : undefined;
    },
    changes$: new Observable((subscriber) => {
      const observe = (ours: Ours) => {
        subscriber.add(observeChanges(ours, timing).subscribe(subscriber));
      };
      if (current === null) subscriber.add(arrived.subscribe(observe));
      else observe(current);
    }),
    logs$: logs.asObservable(),
    end: async ({ kill }) => {
      clearTimeout(logging);
      await current?.host.close();
      if (kill) await current?.own.release(null);
    },
  };
}
