import type { z } from 'zod';
import type { Clock } from '../clock/clock.ts';
import { toErrorText } from '../config/error-text.ts';
import { parseOptions } from '../config/parse-options.ts';
import { scheduleOptions } from '../config/schedule-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { NotificationFilter } from '../config/watch-options.ts';
import type { ProcessService } from '../process/process-service.ts';
import { ActiveSchedule, type DueNews, type ScheduleFacts } from './active-schedule.ts';
import type { ScheduleOptions, ScheduleView } from './schedule.ts';
import type { ScheduleWriter } from './schedule-writer.ts';

/** Maximum number of schedules. */
const MAX_SCHEDULES = 1_000;

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

interface ScheduleDeps {
  readonly clock: Clock;
  readonly createId: (kind: 'schedule', message: string) => string;
  readonly news: DueNews;
  readonly writer: ScheduleWriter;
  /** Called for a cancelled schedule, whose notifications are void. */
  readonly onCancelled: (schedule: ScheduleView) => void;
  readonly defaultOwner: string;
}

export function createSchedules(deps: ScheduleDeps): Schedules {
  const { clock, news, writer } = deps;
  const schedules = new Map<string, ActiveSchedule>();
  let isClosed = false;

  /** Records a delivery. After a crash before it the next supervisor notifies again, with the same id. */
  const onDelivered = (it: ActiveSchedule) => {
    if (schedules.get(it.id) !== it) return;
    if (it.isRecurring) writer.update(it.record);
    else forget(it);
  };
  const activeDeps = { clock, news, onDelivered };

  /** Removes a schedule, whose notification may still wait for its owner. */
  const forget = (it: ActiveSchedule) => {
    it.cancel();
    schedules.delete(it.id);
    writer.remove(it.id);
  };

  const drop = (it: ActiveSchedule) => {
    forget(it);
    it.withdraw();
    deps.onCancelled(it.view());
  };

  return {
    schedule: (options) => {
      const given = parseOptions(scheduleOptions, { input: options, name: 'schedule' });
      if (isClosed) throw refusal('shutting-down', 'the supervisor is shutting down.');
      if (schedules.size >= MAX_SCHEDULES) throw tooMany();
      const it = new ActiveSchedule(toNew(given, deps), activeDeps);
      saveOrRefuse(it.view(), writer);
      schedules.set(it.id, it);
      it.arm();
      return it.view();
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
        .map((it) => it.view()),
    restore: ({ nextAt, ...facts }) => {
      const dueMs = clock.nowMs() + nextAt - clock.epochMs();
      const it = new ActiveSchedule({ facts, dueMs }, activeDeps);
      schedules.set(it.id, it);
      it.armRestored();
    },
    on: ({ type }, { id }) => {
      if (type !== 'process.ended') return;
      for (const it of [...schedules.values()]) if (it.processId === id) drop(it);
      // A one-time schedule is removed when it is due, and its notification may still wait.
      news.withdraw(({ processId }) => processId === id);
    },
    close: () => {
      isClosed = true;
      for (const it of schedules.values()) it.cancel();
    },
  };
}

/** Returns the facts of a new schedule, and when it is due for the first time. */
function toNew(
  given: z.output<typeof scheduleOptions>,
  { clock, createId, defaultOwner }: Pick<ScheduleDeps, 'clock' | 'createId' | 'defaultOwner'>,
): { readonly facts: ScheduleFacts; readonly dueMs: number } {
  const everyMs = given.every ?? null;
  const facts = {
    id: createId('schedule', given.message),
    owner: given.owner ?? defaultOwner,
    message: given.message,
    everyMs,
    processId: given.process ?? null,
    createdAt: Math.round(clock.epochMs()),
    told: 0,
  };
  return { facts, dueMs: clock.nowMs() + (given.after ?? everyMs ?? 0) };
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
