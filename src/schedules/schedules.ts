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

/** Whoever wants more lets one of them tell of several things. */
const MAX_SCHEDULES = 1_000;

/** Overdue ones of a process wait for so long: it may turn out to have ended as well. */
const OVERDUE_AFTER_MS = 1_000;

/** The schedules of a supervisor. */
export interface Schedules extends ProcessService {
  /** @throws TroupeError `invalid-option`; `state-directory` where it cannot be written down; `shutting-down`. */
  schedule(options: ScheduleOptions): ScheduleView;
  /** `false` where there was none. */
  unschedule(id: string): boolean;
  list(filter: NotificationFilter): readonly ScheduleView[];
  /** Goes on with one of an earlier supervisor. */
  restore(schedule: ScheduleView): void;
  /** Nothing is told any more; what is written down stays. */
  close(): void;
}

/** Tells owners what is due. */
export interface DueNews {
  /** `onHeard` is called once somebody has heard it: now, or later. */
  tell(news: ScheduleNews, onHeard: () => void): void;
  /** Takes back what was told of those schedules and nobody has heard yet. */
  withdraw(isMeant: (schedule: ScheduleView) => boolean): void;
}

interface Scheduled {
  readonly id: string;
  readonly owner: string;
  readonly message: string;
  readonly everyMs: number | null;
  readonly processId: string | null;
  readonly createdAt: number;
  told: number;
  /** On the clock that never jumps. */
  dueMs: number;
  /** Was told and not heard yet: since when, and how often. */
  unheard: { readonly firstAt: number; readonly count: number } | null;
  cancel: Cancel;
}

export function createSchedules(world: {
  readonly clock: Clock;
  readonly news: DueNews;
  readonly keeper: ScheduleWriter;
  /** It is not told any more, and what of it was told is void. */
  readonly onCancelled: (schedule: ScheduleView) => void;
  readonly defaultOwner: string;
}): Schedules {
  const { clock, news, keeper } = world;
  const schedules = new Map<string, Scheduled>();
  let isClosed = false;

  const toEpoch = (ms: number) => Math.round(clock.epochMs() + ms - clock.nowMs());
  const toView = (it: Scheduled): ScheduleView => ({
    id: it.id,
    owner: it.owner,
    message: it.message,
    everyMs: it.everyMs,
    nextAt: toEpoch(it.dueMs),
    processId: it.processId,
    createdAt: it.createdAt,
    told: it.told,
  });

  /** Whoever comes next begins with what nobody has heard. */
  const toKept = (it: Scheduled): ScheduleView =>
    it.unheard === null ? toView(it) : { ...toView(it), nextAt: it.unheard.firstAt };

  /** Of one that is told again and again only the last time waits for an owner that is not there. */
  const withdraw = ({ id }: Scheduled) => news.withdraw((each) => each.id === id);

  const arm = (it: Scheduled) => {
    it.cancel = clock.at(it.dueMs, () => tellDue(it), { idle: true });
  };

  const tellDue = (it: Scheduled) => {
    const due = it.unheard;
    withdraw(it);
    const nowMs = clock.nowMs();
    const passed = it.everyMs === null ? 0 : Math.floor((nowMs - it.dueMs) / it.everyMs);
    const missed = (due?.count ?? 0) + passed;
    const firstAt = due?.firstAt ?? toEpoch(it.dueMs);
    it.unheard = { firstAt, count: missed + 1 };
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
    news.tell(told, () => noteHeard(it));
  };

  /** Only now: wherever a crash falls before, the next supervisor tells it, under the same id. */
  const noteHeard = (it: Scheduled) => {
    it.unheard = null;
    it.told += 1;
    if (schedules.get(it.id) !== it) return;
    if (it.everyMs === null) forget(it);
    else keeper.note(toKept(it));
  };

  /** What was told of it may still wait for its owner. */
  const forget = (it: Scheduled) => {
    it.cancel();
    schedules.delete(it.id);
    keeper.remove(it.id);
  };

  const drop = (it: Scheduled) => {
    forget(it);
    withdraw(it);
    world.onCancelled(toView(it));
  };

  return {
    schedule: (options) => {
      const given = parseOptions(scheduleOptions, { input: options, name: 'schedule' });
      if (isClosed)
        throw refusal('shutting-down', 'the supervisor is shutting down, and tells nothing any more.');
      if (schedules.size >= MAX_SCHEDULES) throw tooMany();
      const everyMs = given.every ?? null;
      const it: Scheduled = {
        id: `schedule_${createRandomId()}`,
        owner: given.owner ?? world.defaultOwner,
        message: given.message,
        everyMs,
        processId: given.process ?? null,
        createdAt: Math.round(clock.epochMs()),
        told: 0,
        dueMs: clock.nowMs() + (given.after ?? everyMs ?? 0),
        unheard: null,
        cancel: () => {},
      };
      keepOrRefuse(toView(it), keeper);
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
      const it: Scheduled = { ...facts, dueMs, unheard: null, cancel: () => {} };
      schedules.set(it.id, it);
      const firstMs = it.processId === null ? dueMs : Math.max(dueMs, clock.nowMs() + OVERDUE_AFTER_MS);
      it.cancel = clock.at(firstMs, () => tellDue(it), { idle: true });
    },
    on: ({ type }, { id }) => {
      if (type !== 'process.ended') return;
      for (const it of [...schedules.values()]) if (it.processId === id) drop(it);
      // One that was told once is none any more, and may still wait.
      news.withdraw(({ processId }) => processId === id);
    },
    close: () => {
      isClosed = true;
      for (const { cancel } of schedules.values()) cancel();
    },
  };
}

/** The same as long as nobody has heard it, also under another supervisor. */
function toNewsId({ id, told }: Scheduled): string {
  return `${id}/${told + 1}`;
}

function keepOrRefuse(schedule: ScheduleView, keeper: ScheduleWriter): void {
  try {
    keeper.save(schedule);
  } catch (error) {
    const why = `it cannot be written down in ${keeper.directory}: ${toErrorText(error)}. `;
    throw refusal('state-directory', `${why}Make room, or name another "stateDirectory".`);
  }
}

function tooMany(): TroupeError {
  const remedy = 'Take one back with "unschedule", or let one tell of several things.';
  return refusal('invalid-option', `there are ${MAX_SCHEDULES} already, as many as there may be. ${remedy}`);
}

function refusal(code: TroupeError['code'], why: string): TroupeError {
  return new TroupeError({ code, message: `schedule: ${why}` });
}
