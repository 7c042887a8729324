import { parseOptions } from '../config/parse-options.ts';
import { quote } from '../config/quote.ts';
import { scheduleOptions } from '../config/schedule-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { notificationFilter, watchCall, watchOwner } from '../config/watch-options.ts';
import { GuardedObservable } from '../output/guarded-observable.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import type { Runtime } from './runtime.ts';
import type { Supervisor } from './supervisor.ts';

type NotificationCalls = Pick<
  Supervisor,
  | 'watch'
  | 'unwatch'
  | 'watches'
  | 'schedule'
  | 'unschedule'
  | 'schedules'
  | 'mailbox'
  | 'news$'
  | 'newsOf'
  | 'isHeard'
>;

/** Creates the methods of a supervisor for watches and schedules. */
export function createNotificationCalls(
  { registry, watches, schedules, mailboxes }: Runtime,
  onSubscriberError: (error: unknown) => void,
): NotificationCalls {
  const findLive = (given: string, call: string): SupervisedProcess => {
    const { id } = parseOptions(watchCall, { input: { id: given }, name: call });
    const process = registry.live.get(id);
    if (process !== undefined && !process.life.hasEnded) return process;
    const nearest = registry.nearest(id);
    const hint = nearest.length === 0 ? 'There are no processes.' : `Did you mean ${nearest.join(' or ')}?`;
    const why =
      registry.get(id) === undefined
        ? `not found. ${hint}`
        : 'has ended, so no more notices about it can come.';
    throw new TroupeError({ code: 'not-found', message: `${call}: process ${quote(id)} ${why}` });
  };
  return {
    watch: (id, options = {}) => watches.watch(findLive(id, 'watch'), options),
    unwatch: (given, options = {}) => {
      const { id } = parseOptions(watchCall, { input: { id: given }, name: 'unwatch' });
      const { owner } = parseOptions(watchOwner, { input: options, name: 'unwatch' });
      const process = registry.live.get(id);
      return process !== undefined && watches.unwatch(process, owner ?? process.owner);
    },
    watches: (filter = {}) =>
      watches.list(parseOptions(notificationFilter, { input: filter, name: 'watches' })),
    schedule: (options) => {
      const { process } = parseOptions(scheduleOptions, { input: options, name: 'schedule' });
      if (process !== undefined) findLive(process, 'schedule');
      return schedules.schedule(options);
    },
    unschedule: (id) => schedules.unschedule(id),
    schedules: (filter = {}) =>
      schedules.list(parseOptions(notificationFilter, { input: filter, name: 'schedules' })),
    mailbox: (owner, reader) => mailboxes.open(owner, reader),
    isHeard: (owner) => mailboxes.isHeard(owner),
    news$: new GuardedObservable((subscriber) => mailboxes.news$.subscribe(subscriber), onSubscriberError),
    newsOf: (owner) =>
      new GuardedObservable((subscriber) => mailboxes.newsOf(owner).subscribe(subscriber), onSubscriberError),
  };
}
