import { setTimeout } from 'node:timers/promises';
import { quote } from '../config/quote.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { isCode, type Peer, PROMPT, QUICK } from '../control/protocol.ts';
import type { WatchNews, WatchOptions } from '../watches/watch.ts';
import { type AskSupervisor, refuseUnlessEnded } from './ask-supervisor.ts';
import type { DirectoryGround } from './directory-deps.ts';
import { toSilentWarning, toStrangerWarning } from './list-directory.ts';
import type { SeenSchedule, StateDirectory } from './state-directory.ts';
import { findEnd } from './wait-process.ts';

type NewsCalls = Pick<
  StateDirectory,
  'watch' | 'unwatch' | 'watches' | 'schedule' | 'unschedule' | 'schedules'
>;

/** How soon another supervisor is seen that has taken the process over. */
const LOOK_MS = 100;

/** What became of asking everybody. */
interface Answers<T> {
  readonly answers: readonly { readonly peer: Peer; readonly answer: T }[];
  /** They live, and did not answer. */
  readonly silent: readonly { readonly peer: Peer; readonly error: unknown }[];
}

/** Watches and schedules of all supervisors of a state directory. */
export function createNewsCalls(ground: DirectoryGround, ask: AskSupervisor): NewsCalls {
  const { peers } = ground;
  return {
    watch: (id, { signal, ...options }) => watchProcess(ground, { id, options, signal }),
    unwatch: (id, options = {}) =>
      ask(
        { id, method: 'unwatch', params: { id, ...options } },
        { options: QUICK, revives: true, orElse: (it) => refuseUnlessEnded(ground, it) },
      ),
    watches: async (filter = {}) => {
      const { answers } = await askAll(ground, (peer) =>
        peers.ask(peer, { method: 'watches', params: { ...filter } }, PROMPT),
      );
      return answers.flatMap(({ answer }) => answer);
    },
    schedule: async ({ supervisorId, ...options }) => {
      const peer = await findKeeper(ground, { supervisorId, process: options.process });
      const schedule = await peers.ask(peer, { method: 'schedule', params: { options } }, QUICK);
      const { isHeard = null } = schedule as { readonly isHeard?: boolean };
      return { ...schedule, isHeard, supervisorId: peer.id, answered: true, keeper: 'alive' };
    },
    unschedule: async (id) => {
      const { answers } = await askAll(ground, async (peer) => {
        // What waits with a halted supervisor is carried out when it goes on, and everybody was told that it was not.
        await peers.ask(peer, { method: 'hello', params: {} }, PROMPT);
        return peers.ask(peer, { method: 'unschedule', params: { id } }, QUICK);
      });
      if (answers.some(({ answer }) => answer)) return true;
      const { removeRecordedSchedule } = await import('./recorded-schedules.ts');
      return removeRecordedSchedule(ground, id);
    },
    schedules: (filter = {}) => listSchedules(ground, filter),
  };
}

/** Of those that end meanwhile nothing is heard: they have nothing more to say. */
async function askAll<T>(ground: DirectoryGround, toAnswer: (peer: Peer) => Promise<T>): Promise<Answers<T>> {
  const asked = ground.peers.list().map(async (peer) => {
    try {
      return { answers: [{ peer, answer: await toAnswer(peer) }], silent: [] };
    } catch (error) {
      return { answers: [], silent: (await ground.isByEnd(error, peer)) ? [] : [{ peer, error }] };
    }
  });
  const all = await Promise.all(asked);
  return { answers: all.flatMap(({ answers }) => answers), silent: all.flatMap(({ silent }) => silent) };
}

/** What supervisors say goes before what is written down. */
async function listSchedules(
  ground: DirectoryGround,
  filter: { readonly owner?: string; readonly process?: string },
): ReturnType<StateDirectory['schedules']> {
  const { answers, silent } = await askAll(ground, (peer) =>
    ground.peers.ask(peer, { method: 'schedules', params: { ...filter } }, PROMPT),
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
  const { schedules, damaged } = listRecordedSchedules(ground, filter);
  const known = new Set(answers.map(({ peer }) => peer.id));
  // Taken over, or taken back, since it was asked for.
  const isKept = ({ id }: SeenSchedule) => kept.some((schedule) => schedule.id === id);
  const recorded = schedules.filter((each) => !known.has(each.supervisorId) && !isKept(each));
  const strangers = new Set(
    recorded.flatMap(({ supervisorId, keeper }) => (keeper === 'elsewhere' ? [supervisorId] : [])),
  );
  return {
    schedules: [...kept, ...recorded].sort((a, b) => a.nextAt - b.nextAt),
    warnings: [
      ...silent.map(({ peer, error }) => toSilentWarning(peer, error)),
      ...[...strangers].map((id) => toStrangerWarning(id, 'schedules')),
      ...damaged,
    ],
  };
}

/** Goes on where another supervisor takes the process over. */
async function* watchProcess(
  ground: DirectoryGround,
  { id, options, signal }: { id: string; options: WatchOptions; signal: AbortSignal | undefined },
): AsyncGenerator<WatchNews, void> {
  const { streamControl } = await import('../control/control-client.ts');
  while (true) {
    const found = await ground.find(id);
    if (found.type === 'recorded') {
      if (await ground.revive(found)) continue;
      if ((await findEnd(ground, found)) !== null) return;
    } else {
      try {
        const { socket } = found.peer;
        for await (const news of streamControl(socket, {
          method: 'watch',
          params: { id, options },
          signal,
        })) {
          yield news;
          // The next one would fail the same way.
          if (news.type === 'watch.failed') return;
        }
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
    let found = await ground.find(process);
    if (found.type === 'recorded' && (await ground.revive(found))) found = await ground.find(process);
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
