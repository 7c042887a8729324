import { setTimeout } from 'node:timers/promises';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { isCode, type Peer, PROMPT, QUICK } from '../control/protocol.ts';
import type { WatchNews, WatchOptions } from '../watches/watch.ts';
import { type AskSupervisor, type DirectoryDeps, findEnd, refuseUnlessEnded } from './directory-deps.ts';
import { toForeignWarning, toUnansweredWarning } from './list-directory.ts';
import type { SeenSchedule, StateDirectory } from './state-directory.ts';

type WatchAndScheduleCalls = Pick<
  StateDirectory,
  'watch' | 'unwatch' | 'watches' | 'schedule' | 'unschedule' | 'schedules'
>;

/** Interval for detecting adoption by another supervisor. */
const LOOK_MS = 100;

/** Results of asking all supervisors. */
interface Answers<T> {
  readonly answers: readonly { readonly peer: Peer; readonly answer: T }[];
  /** Live supervisors that did not answer. */
  readonly silent: readonly { readonly peer: Peer; readonly error: unknown }[];
}

/** Creates the calls for watches and schedules of all supervisors of a state directory. */
export function createWatchAndScheduleCalls(deps: DirectoryDeps, ask: AskSupervisor): WatchAndScheduleCalls {
  const { peers } = deps;
  return {
    watch: (id, { signal, ...options }) => watchProcess(deps, { id, options, signal }),
    unwatch: (id, options = {}) =>
      ask(
        { id, method: 'unwatch', params: { id, ...options } },
        { options: QUICK, revives: true, orElse: (it) => refuseUnlessEnded(deps, it) },
      ),
    watches: async (filter = {}) => {
      const { answers } = await askAll(deps, (peer) =>
        peers.ask(peer, { method: 'watches', params: { ...filter } }, PROMPT),
      );
      return answers.flatMap(({ answer }) => answer);
    },
    schedule: async ({ supervisorId, ...options }) => {
      const peer = await findScheduler(deps, { supervisorId, process: options.process });
      const schedule = await peers.ask(peer, { method: 'schedule', params: { options } }, QUICK);
      const { isHeard = null } = schedule as { readonly isHeard?: boolean };
      return { ...schedule, isHeard, supervisorId: peer.id, answered: true, keeper: 'alive' };
    },
    unschedule: async (id) => {
      const { answers } = await askAll(deps, async (peer) => {
        // A halted supervisor would execute the request once it resumes, although the caller was told that it failed.
        await peers.ask(peer, { method: 'hello', params: {} }, PROMPT);
        return peers.ask(peer, { method: 'unschedule', params: { id } }, QUICK);
      });
      if (answers.some(({ answer }) => answer)) return true;
      const { removeRecordedSchedule } = await import('./recorded-schedules.ts');
      return removeRecordedSchedule(deps, id);
    },
    schedules: (filter = {}) => listSchedules(deps, filter),
  };
}

/** Asks all supervisors; ignores those that end meanwhile. */
async function askAll<T>(deps: DirectoryDeps, toAnswer: (peer: Peer) => Promise<T>): Promise<Answers<T>> {
  const asked = deps.peers.list().map(async (peer) => {
    try {
      return { answers: [{ peer, answer: await toAnswer(peer) }], silent: [] };
    } catch (error) {
      return { answers: [], silent: (await deps.hasPeerEnded(error, peer)) ? [] : [{ peer, error }] };
    }
  });
  const all = await Promise.all(asked);
  return { answers: all.flatMap(({ answers }) => answers), silent: all.flatMap(({ silent }) => silent) };
}

/** Lists schedules; a supervisor's answer takes precedence over the record. */
async function listSchedules(
  deps: DirectoryDeps,
  filter: { readonly owner?: string; readonly process?: string },
): ReturnType<StateDirectory['schedules']> {
  const { answers, silent } = await askAll(deps, (peer) =>
    deps.peers.ask(peer, { method: 'schedules', params: { ...filter } }, PROMPT),
  );
  const kept = answers.flatMap(({ peer, answer }) =>
    answer.map((schedule) => ({
      ...schedule,
      supervisorId: peer.id,
      answered: true,
      keeper: 'alive' as const,
    })),
  );
  const { listRecordedSchedules } = await import('./recorded-schedules.ts');
  const { schedules, damaged } = listRecordedSchedules(deps, filter);
  const known = new Set(answers.map(({ peer }) => peer.id));
  // Adopted or cancelled since it was asked for.
  const isKept = ({ id }: SeenSchedule) => kept.some((schedule) => schedule.id === id);
  const recorded = schedules.filter((each) => !known.has(each.supervisorId) && !isKept(each));
  const strangers = new Set(
    recorded.flatMap(({ supervisorId, keeper }) => (keeper === 'elsewhere' ? [supervisorId] : [])),
  );
  return {
    schedules: [...kept, ...recorded].sort((a, b) => a.nextAt - b.nextAt),
    warnings: [
      ...silent.map(({ peer, error }) => toUnansweredWarning(peer, error)),
      ...[...strangers].map((id) => toForeignWarning(id, 'schedules')),
      ...damaged,
    ],
  };
}

/** Streams notifications, and continues after another supervisor adopts the process. */
async function* watchProcess(
  deps: DirectoryDeps,
  { id, options, signal }: { id: string; options: WatchOptions; signal: AbortSignal | undefined },
): AsyncGenerator<WatchNews, void> {
  const { streamControl } = await import('../control/control-client.ts');
  while (true) {
    const found = await deps.find(id);
    if (found.type === 'recorded') {
      if (await deps.revive(found)) continue;
      if ((await findEnd(deps, found)) !== null) return;
    } else {
      try {
        const { socket } = found.peer;
        for await (const news of streamControl(socket, {
          method: 'watch',
          params: { id, options },
          signal,
        })) {
          yield news;
          // A second attempt would fail the same way.
          if (news.type === 'watch.failed') return;
        }
        // A supervisor that shuts down also ends the streams of processes that keep running.
        const { view } = await deps.peers.ask(found.peer, { method: 'show', params: { id } }, QUICK);
        if ('endedAt' in view) return;
      } catch (error) {
        if (!(await deps.hasPeerEnded(error, found.peer))) {
          if (isCode(error, 'not-found')) return;
          throw error;
        }
      }
    }
    await setTimeout(LOOK_MS, undefined, { ...(signal !== undefined && { signal }) });
  }
}

/** Finds the supervisor for a schedule: the one of its process, the named one, or the only one. */
async function findScheduler(
  deps: DirectoryDeps,
  { supervisorId, process }: { supervisorId: string | undefined; process: string | undefined },
): Promise<Peer> {
  if (process !== undefined) {
    let found = await deps.find(process);
    if (found.type === 'recorded' && (await deps.revive(found))) found = await deps.find(process);
    if (found.type === 'supervised') return found.peer;
    throw noSchedulerError(`the supervisor of ${process} cannot be asked`);
  }
  const all = deps.peers.list();
  if (supervisorId !== undefined) {
    const named = all.find(({ id }) => id === supervisorId);
    if (named !== undefined) return named;
    throw noSchedulerError(`there is no supervisor ${quote(supervisorId)} that listens`);
  }
  const [only, ...others] = all;
  if (only !== undefined && others.length === 0) return only;
  const ids = all.map(({ id, role, pid }) => `${id} (${role}, pid ${pid})`).join(', ');
  throw noSchedulerError(
    only === undefined ? 'no supervisor listens' : `there are several supervisors: ${ids}`,
  );
}

function noSchedulerError(why: string): TroupeError {
  const message = `No supervisor can run the schedule: ${why}. Name a process that runs, or a supervisor.`;
  return new TroupeError({ code: 'unreachable', message });
}
