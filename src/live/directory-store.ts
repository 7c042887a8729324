import { toErrorText } from '../config/error-text.ts';
import { liveFirst } from '../state-directory/list-directory.ts';
import type { StateDirectory } from '../state-directory/state-directory.ts';
import { toStatePaths } from '../store/state-paths.ts';
import { emptyLiveState, type LiveState, type LiveStore } from './live-state.ts';
import { createViewKeeper, toSameList, toSameRecord } from './local-store.ts';
import { createConversationReader } from './saved-conversations.ts';
import { createSharedStore } from './shared-store.ts';

/** Store of all processes and saved conversations of a state directory. */
export interface DirectoryStore extends LiveStore {
  /** Sentences about records, supervisors and journals that could not be read at the last look. */
  readonly warnings: readonly string[];
}

/** Interval between two looks while nothing is reported, in ms: figures of output change without an event. */
const LOOK_MS = 1_000;
/** Pause after an event, in which others may follow, in ms. */
const SETTLE_MS = 100;
/** Share of the time that looking may take. */
const MAX_SHARE = 0.1;
/** Maximum number of processes that are asked for at once. */
const MAX_ASKED = 16;

/**
 * Creates a store of a state directory: the processes of all its supervisors with their timelines, and its saved conversations. While it has
 * subscribers it reads the directory after each event and once a second. It does not include text that a model is writing, nor open
 * questions, because they are not on disk.
 */
export function createDirectoryStore(directory: StateDirectory): DirectoryStore {
  const keep = createViewKeeper();
  const conversations = createConversationReader(toStatePaths(directory.path).conversations);
  const stale = new Set<string>();
  let state: LiveState = { ...emptyLiveState, connection: 'local' };
  let warnings: readonly string[] = [];

  const look = async () => {
    const asked = [...stale];
    stale.clear();
    const listed = await directory.list();
    const known = new Set(state.processes);
    const views = keep(listed.processes.map(({ view }) => view));
    const changed = views.filter((view) => !known.has(view));
    const shown = await showAll(directory, new Set([...asked, ...changed.map(({ id }) => id)]));
    // View and timeline of one answer: the list is older, and a process may have ended since.
    const latest = views.map((view) => shown.get(view.id)?.view ?? view).sort(liveFirst);
    const processes = toSameList(keep(latest), state.processes);
    const timelines = Object.fromEntries(
      processes.map(({ id }) => [id, shown.get(id)?.timeline ?? state.timelines[id] ?? []]),
    );
    const supervisors = Object.fromEntries(
      listed.processes.map(({ view, supervisorId }) => [view.id, supervisorId]),
    );
    const saved = conversations.read();
    warnings = [...listed.warnings, ...saved.warnings];
    const next = {
      processes,
      supervisors: toSameRecord(supervisors, state.supervisors),
      timelines: toSameRecord(timelines, state.timelines),
      conversations: toSameRecord(saved.conversations, state.conversations),
    };
    const keys = ['processes', 'supervisors', 'timelines', 'conversations'] as const;
    if (keys.some((key) => next[key] !== state[key])) state = { ...state, ...next };
  };

  const store = createSharedStore({
    read: () => state,
    open: (changed) => {
      const over = new AbortController();
      const { signal } = over;
      let wake = () => {};
      const run = async () => {
        while (!signal.aborted) {
          const begin = performance.now();
          await look().catch((error) => {
            warnings = [`${directory.path} could not be read: ${toErrorText(error)}`];
          });
          if (signal.aborted) return;
          changed();
          const restMs = (performance.now() - begin) / MAX_SHARE;
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, Math.max(LOOK_MS, restMs));
            wake = () => {
              clearTimeout(timer);
              setTimeout(resolve, Math.max(SETTLE_MS, restMs));
            };
          });
        }
      };
      const hear = async () => {
        for await (const event of directory.events({ since: Date.now(), signal })) {
          if ('process' in event) stale.add(event.process.id);
          wake();
        }
      };
      void run();
      hear().catch(() => {});
      return () => {
        over.abort();
        wake();
      };
    },
  });
  return {
    ...store,
    get warnings() {
      return warnings;
    },
  };
}

async function showAll(
  directory: StateDirectory,
  ids: ReadonlySet<string>,
): Promise<ReadonlyMap<string, ShownProcess>> {
  const waiting = [...ids];
  const found = new Map<string, ShownProcess>();
  const work = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      // It was forgotten since the list, or its supervisor ends.
      const shown = await directory.show(id).catch(() => null);
      if (shown !== null) found.set(id, shown);
    }
  };
  await Promise.all(Array.from({ length: MAX_ASKED }, work));
  return found;
}

type ShownProcess = Awaited<ReturnType<StateDirectory['show']>>;
