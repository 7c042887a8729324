import type { Cancel, Clock } from '../clock/clock.ts';
import { toErrorText } from '../config/error-text.ts';
import { parseOptions } from '../config/parse-options.ts';
import { scheduleOptions } from '../config/schedule-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { NotificationFilter } from '../config/watch-options.ts';
import { createRandomId } from '../process/process-id.ts';
import type { ProcessService } from '../process/process-service.ts';
import type { ScheduleNews, ScheduleOptions, ScheduleView } from './schedule.ts';
import type { ScheduleWriter } from './schedule-writer.ts';

/** Maximum number of schedules. */
const MAX_SCHEDULES = 1_000;

/** Delay of overdue schedules of a restored process: it may turn out to have ended. */
const OVERDUE_AFTER_MS = 1_000;

/** The schedules of a supervisor. Schedules of a process end with it, before its end is published. */
export interface Schedules extends ProcessService {
  /** @throws TroupeError `invalid-option`; `state-directory` if the schedule cannot be persisted; `shutting-down`. */
  schedule(options: ScheduleOptions): ScheduleView;
  /** Cancels a schedule. Returns `false` if there was none. */
  unschedule(id: string): boolean;
  list(filter: NotificationFilter): readonly ScheduleView[];
  /** Resumes a schedule of an earlier supervisor. */
  restore(schedule: ScheduleView): void;
  /** Stops all notifications; the records stay. */
  close(): void;
}

/** Delivers due schedules to their owners. */
export interface DueNews {
  /** `onDelivered` is called once a subscriber has received it: now, or later. */
  tell(news: ScheduleNews, onDelivered: () => void): void;
  /** Takes back undelivered notifications of those schedules. */
  withdraw(isMeant: (schedule: ScheduleView) => boolean): void;
}

interface ActiveSchedule {
  readonly id: string;
  readonly owner: string;
  readonly message: string;
  readonly everyMs: number | null;
  readonly processId: string | null;
  readonly createdAt: number;
  told: number;
  /** Monotonic time of the next notification. */
  dueMs: number;
  /** Notifications that were published and not delivered yet. */
  undelivered: { readonly firstAt: number; readonly count: number } | null;
  cancel: Cancel;
}

export function createSchedules(deps: {
  readonly clock: Clock;
  readonly news: DueNews;
  readonly writer: ScheduleWriter;
  /** Called for a cancelled schedule, whose notifications are void. */
  readonly onCancelled: (schedule: ScheduleView) => void;
  readonly defaultOwner: string;
}): Schedules {
  const { clock, news, writer } = deps;
  const schedules = new Map<string, ActiveSchedule>();
  let isClosed = false;

  const toEpoch = (ms: number) => Math.round(clock.epochMs() + ms - clock.nowMs());
  const toView = (it: ActiveSchedule): ScheduleView => ({
    id: it.id,
    owner: it.owner,
    message: it.message,
    everyMs: it.everyMs,
    nextAt: toEpoch(it.dueMs),
    processId: it.processId,
    createdAt: it.createdAt,
    told: it.told,
  });

  /** The next supervisor begins with the first undelivered time. */
  const toRecorded = (it: ActiveSchedule): ScheduleView =>
    it.undelivered === null ? toView(it) : { ...toView(it), nextAt: it.undelivered.firstAt };

  /** Withdraws notifications that wait for an absent owner: of a recurring schedule only the last one waits. */
  const withdraw = ({ id }: ActiveSchedule) => news.withdraw((each) => each.id === id);

  const arm = (it: ActiveSchedule) => {
    it.cancel = clock.at(it.dueMs, () => notifyDue(it), { idle: true });
  };

  const notifyDue = (it: ActiveSchedule) => {
    const due = it.undelivered;
    withdraw(it);
    const nowMs = clock.nowMs();
    const passed = it.everyMs === null ? 0 : Math.floor((nowMs - it.dueMs) / it.everyMs);
    const missed = (due?.count ?? 0) + passed;
    const firstAt = due?.firstAt ?? toEpoch(it.dueMs);
    it.undelivered = { firstAt, count: missed + 1 };
    if (it.everyMs !== null) {
      it.dueMs += (passed + 1) * it.everyMs;
      arm(it);
    }
    const schedule = { ...toView(it), told: it.told + 1 };
    const told: ScheduleNews = {
      type: 'schedule.due',
      id: toNewsId(it),
      at: clock.epochMs(),
      owner: it.owner,
      schedule,
      missed,
    };
    news.tell(told, () => noteDelivered(it));
  };

  /** Records a delivery. After a crash before it the next supervisor notifies again, with the same id. */
  const noteDelivered = (it: ActiveSchedule) => {
    it.undelivered = null;
    it.told += 1;
    if (schedules.get(it.id) !== it) return;
    if (it.everyMs === null) forget(it);
    else writer.update(toRecorded(it));
  };

  /** Removes a schedule, whose notification may still wait for its owner. */
  const forget = (it: ActiveSchedule) => {
    it.cancel();
    schedules.delete(it.id);
    writer.remove(it.id);
  };

  const drop = (it: ActiveSchedule) => {
    forget(it);
    withdraw(it);
    deps.onCancelled(toView(it));
  };

  return {
    schedule: (options) => {
      const given = parseOptions(scheduleOptions, { input: options, name: 'schedule' });
      if (isClosed) throw refusal('shutting-down', 'the supervisor is shutting down.');
      if (schedules.size >= MAX_SCHEDULES) throw tooMany();
      const everyMs = given.every ?? null;
      const it: ActiveSchedule = {
        id: `schedule_${createRandomId()}`,
        owner: given.owner ?? deps.defaultOwner,
        message: given.message,
        everyMs,
        processId: given.process ?? null,
        createdAt: Math.round(clock.epochMs()),
        told: 0,
        dueMs: clock.nowMs() + (given.after ?? everyMs ?? 0),
        undelivered: null,
        cancel: () => {},
      };
      saveOrRefuse(toView(it), writer);
      schedules.set(it.id, it);
      arm(it);
      return toView(it);
    },
    unschedule: (id) => {
      const it = schedules.get(id);
      if (it !== undefined) drop(it);
      return it !== undefined;
    },
    list: (filter) =>
      [...schedules.values()]
        .filter(({ owner }) => filter.owner === undefined || owner === filter.owner)
        .filter(({ processId }) => filter.process === undefined || processId === filter.process)
        .map(toView),
    restore: ({ nextAt, ...facts }) => {
      const dueMs = clock.nowMs() + nextAt - clock.epochMs();
      const it: ActiveSchedule = { ...facts, dueMs, undelivered: null, cancel: () => {} };
      schedules.set(it.id, it);
      const firstMs = it.processId === null ? dueMs : Math.max(dueMs, clock.nowMs() + OVERDUE_AFTER_MS);
      it.cancel = clock.at(firstMs, () => notifyDue(it), { idle: true });
    },
    on: ({ type }, { id }) => {
      if (type !== 'process.ended') return;
      for (const it of [...schedules.values()]) if (it.processId === id) drop(it);
      // A one-time schedule is removed when it is due, and its notification may still wait.
      news.withdraw(({ processId }) => processId === id);
    },
    close: () => {
      isClosed = true;
      for (const { cancel } of schedules.values()) cancel();
    },
  };
}

/** Returns the same id until the notification is delivered, also under another supervisor. */
function toNewsId({ id, told }: ActiveSchedule): string {
  return `${id}/${told + 1}`;
}

function saveOrRefuse(schedule: ScheduleView, writer: ScheduleWriter): void {
  try {
    writer.save(schedule);
  } catch (error) {
    const why = `it cannot be saved in ${writer.directory}: ${toErrorText(error)}. `;
    throw refusal('state-directory', `${why}Make room, or name another "stateDirectory".`);
  }
}

function tooMany(): TroupeError {
  const remedy = 'Cancel one with "unschedule", or combine several.';
  return refusal('invalid-option', `there are ${MAX_SCHEDULES} already, which is the maximum. ${remedy}`);
}

function refusal(code: TroupeError['code'], why: string): TroupeError {
  return new TroupeError({ code, message: `schedule: ${why}` });
}
