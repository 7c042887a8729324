import type { Cancel } from '../clock/clock.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import { findListeningPorts } from '../supervisor/readiness/listening-ports.ts';
import type { Completion } from '../supervisor/runtime-event.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { tailReadBytes } from './notice.ts';
import { type EndedPart, type NoticePart, toEndedPart, toRunningPart } from './notice-part.ts';

/** Of an answer's JSON, which is longer than the answer; a notice shows less. */
const MAX_ANSWER_READ_BYTES = 64 * 1024;

/** What happened to a process, as the inbox takes it in. */
export interface ProcessNews {
  readonly id: string;
  readonly part: NoticePart;
  /** Of an end; `null` for what only adds to the context. */
  readonly view: FinalView | null;
}

/** The processes of one owner: what happens to them, and how they end with it. */
export interface OwnProcesses {
  /** Tells of each end, and of what is silent or takes long. */
  watch(onNews: (news: ProcessNews) => void): Cancel;
  alive(): readonly ProcessView[];
  /** Nothing is alive, and every end has been told to the watcher. */
  readonly areGone: boolean;
  /** Ends what lives, and what has left something alive; the heir takes over what is meant for it. */
  release(heir: string | null): Promise<void>;
}

export function createOwnProcesses(supervisor: Supervisor, owner: string): OwnProcesses {
  /** Ends that are on their way: the ports of what they left are being looked up. */
  let onTheWay = 0;
  const alive = () => supervisor.list({ owner, live: true });

  const tellEnd = async ({ id, process: view }: Completion, onNews: (news: ProcessNews) => void) => {
    onTheWay += 1;
    const ports = await findListeningPorts(view.leftovers.map(({ pid }) => pid));
    onTheWay -= 1;
    onNews({ id, part: toPart(view, { supervisor, ports }), view });
  };

  return {
    alive,
    get areGone() {
      return onTheWay === 0 && alive().length === 0;
    },
    watch: (onNews) => {
      const ends = supervisor.completions$.subscribe((completion) => {
        const { id, process: view } = completion;
        if (view.owner !== owner) return;
        if (view.leftovers.length > 0) void tellEnd(completion, onNews);
        else onNews({ id, part: toPart(view, { supervisor, ports: [] }), view });
      });
      const events = supervisor.events$.subscribe((event) => {
        if (event.type !== 'process.silent' && event.type !== 'process.elapsed') return;
        const { process: view, type, at } = event;
        if (view.owner !== owner) return;
        const word = type === 'process.silent' ? 'silent' : 'elapsed';
        onNews({
          id: `${view.id}/${view.attempt}/${word}/${at}`,
          part: toRunningPart(word, view),
          view: null,
        });
      });
      return () => {
        ends.unsubscribe();
        events.unsubscribe();
      };
    },
    release: async (heir) => {
      const own = supervisor
        .list({ owner })
        .filter((view) => !('leftovers' in view) || view.leftovers.length > 0);
      await Promise.all(
        own.map(async ({ id, lifetime }) => {
          const isInherited = lifetime === 'parent' && heir !== null;
          if (!(isInherited && supervisor.transfer(id, heir))) await supervisor.kill(id, { by: 'owner' });
        }),
      );
    },
  };
}

/** A process that is forgotten already has no tail; its log file may be there. */
function toPart(
  view: FinalView,
  { supervisor, ports }: { supervisor: Supervisor; ports: readonly number[] },
): EndedPart {
  const handle = supervisor.get(view.id);
  const { bytes } = view.output;
  const since = Math.max(0, bytes - tailReadBytes);
  const tail = handle?.read({ since, maxBytes: tailReadBytes }).text ?? '';
  const read = Object.values(handle?.reader(view.owner).positions ?? {}).reduce((sum, at) => sum + at, 0);
  const answer =
    view.kind === 'agent'
      ? toAnswer(handle?.read({ stream: 'stdout', maxBytes: MAX_ANSWER_READ_BYTES }))
      : null;
  return toEndedPart(view, { tail, unreadBytes: Math.max(0, bytes - read), ports, answer });
}

/** A child agent prints one JSON object: what it answered, or why it could not. */
function toAnswer(read: { readonly text: string } | undefined): string | null {
  try {
    const { ok, data, error } = JSON.parse(read?.text ?? '') as Record<string, unknown>;
    if (typeof ok !== 'boolean') return null;
    const said = ok ? data : error;
    return typeof said === 'string' ? said : JSON.stringify(said);
  } catch {
    return null;
  }
}
