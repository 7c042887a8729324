import { setTimeout } from 'node:timers/promises';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { WatchNews, WatchOptions } from '../supervisor/watches/watch.ts';
import { type AskSupervisor, QUICK, refuseUnlessEnded } from './ask-supervisor.ts';
import type { DirectoryGround } from './directory-ground.ts';
import { isCode, type Peer } from './peers.ts';
import type { SeenSchedule, StateDirectory } from './state-directory.ts';
import { findEnd } from './wait-process.ts';

type NewsCalls = Pick<
  StateDirectory,
  'watch' | 'unwatch' | 'watches' | 'schedule' | 'unschedule' | 'schedules'
>;

/** How soon another supervisor is seen that has taken the process over. */
const LOOK_MS = 100;

/** Watches and schedules of all supervisors of a state directory. */
export function createNewsCalls(ground: DirectoryGround, ask: AskSupervisor): NewsCalls {
  const { peers } = ground;
  /** Of all that can be asked; one that ends meanwhile has nothing more to say. */
  const askAll = async <T>(toAnswer: (peer: Peer) => Promise<T>): Promise<readonly T[]> => {
    const answers = await Promise.allSettled(peers.list().map(toAnswer));
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
  };
  return {
    watch: (id, { signal, ...options }) => watchProcess(ground, { id, options, signal }),
    unwatch: (id, options = {}) =>
      ask(
        { id, method: 'unwatch', params: { id, ...options } },
        { options: QUICK, orElse: (it) => refuseUnlessEnded(ground, it) },
      ),
    watches: async (filter = {}) =>
      (await askAll((peer) => peers.ask(peer, { method: 'watches', params: { ...filter } }, QUICK))).flat(),
    schedule: async ({ supervisorId, ...options }) => {
      const peer = await findKeeper(ground, { supervisorId, process: options.process });
      const schedule = await peers.ask(peer, { method: 'schedule', params: { options } }, QUICK);
      return { ...schedule, supervisorId: peer.id, answered: true };
    },
    unschedule: async (id) => {
      const answers = await askAll((peer) =>
        peers.ask(peer, { method: 'unschedule', params: { id } }, QUICK),
      );
      if (answers.includes(true)) return true;
      const { removeRecordedSchedule } = await import('./recorded-schedules.ts');
      return removeRecordedSchedule(ground, id);
    },
    schedules: async (filter = {}) => {
      const found = await askAll(async (peer) => {
        const schedules = await peers.ask(peer, { method: 'schedules', params: { ...filter } }, QUICK);
        return schedules.map((schedule) => ({ ...schedule, supervisorId: peer.id, answered: true }));
      });
      const { listRecordedSchedules } = await import('./recorded-schedules.ts');
      const kept = found.flat();
      // Taken over since it was asked for.
      const isKept = ({ id }: SeenSchedule) => kept.some((schedule) => schedule.id === id);
      const recorded = listRecordedSchedules(ground, filter).filter((schedule) => !isKept(schedule));
      return [...kept, ...recorded].sort((a, b) => a.nextAt - b.nextAt);
    },
  };
}

/** Goes on where another supervisor takes the process over. */
async function* watchProcess(
  ground: DirectoryGround,
  { id, options, signal }: { id: string; options: WatchOptions; signal: AbortSignal | undefined },
): AsyncGenerator<WatchNews, void> {
  const { streamControl } = await import('./stream-control.ts');
  while (true) {
    const found = await ground.find(id);
    if (found.type === 'recorded') {
      if ((await findEnd(ground, found)) !== null) return;
    } else {
      try {
        const { socket } = found.peer;
        yield* streamControl(socket, { method: 'watch', params: { id, options }, signal });
        // A supervisor that shuts down ends the stream of what it leaves running, too.
        const { view } = await ground.peers.ask(found.peer, { method: 'show', params: { id } }, QUICK);
        if ('endedAt' in view) return;
      } catch (error) {
        if (!(await ground.isByEnd(error, found.peer))) {
          if (isCode(error, 'not-found')) return;
          throw error;
        }
      }
    }
    await setTimeout(LOOK_MS, undefined, { ...(signal !== undefined && { signal }) });
  }
}

/** Who keeps a schedule: the supervisor of its process, the one that was named, or the only one there is. */
async function findKeeper(
  ground: DirectoryGround,
  { supervisorId, process }: { supervisorId: string | undefined; process: string | undefined },
): Promise<Peer> {
  if (process !== undefined) {
    const found = await ground.find(process);
    if (found.type === 'supervised') return found.peer;
    throw noKeeper(`the supervisor of ${process} cannot be asked`);
  }
  const all = ground.peers.list();
  if (supervisorId !== undefined) {
    const named = all.find(({ id }) => id === supervisorId);
    if (named !== undefined) return named;
    throw noKeeper(`there is no supervisor ${quote(supervisorId)} that listens`);
  }
  const [only, ...others] = all;
  if (only !== undefined && others.length === 0) return only;
  const ids = all.map(({ id, role, pid }) => `${id} (${role}, pid ${pid})`).join(', ');
  throw noKeeper(only === undefined ? 'no supervisor listens' : `there are several supervisors: ${ids}`);
}

function noKeeper(why: string): TroupeError {
  const message = `Nobody can keep the schedule: ${why}. Name a process that runs, or a supervisor.`;
  return new TroupeError({ code: 'unreachable', message });
}
