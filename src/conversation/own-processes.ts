import type { Cancel } from '../clock/clock.ts';
import { readAgentAnswer } from '../process/agent-answer.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import { toCompletionId } from '../process/process-id.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import { findListeningPorts } from '../readiness/listening-ports.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import { isEnded } from '../tools/process-summary.ts';
import { tailReadBytes } from './notice.ts';
import {
  type EndedPart,
  type NoticePart,
  toDuePart,
  toEndedPart,
  toRunningPart,
  toWatchPart,
  type Withdrawal,
} from './notice-part.ts';

/** What happened to a process, or was to be told, as the inbox takes it in. */
export interface ProcessNews {
  readonly id: string;
  readonly part: NoticePart;
  /** Of an end; `null` for everything else. */
  readonly view: FinalView | null;
  /** `turn` wakes an agent that is idle; left out, it only adds to the context. Of an end the view decides. */
  readonly attention?: 'turn';
}

/** What became of news: `refused` is told again to whoever comes next. */
export type Intake = 'taken' | 'refused';

/** Who hears of them. */
export interface OwnListener {
  onNews(news: ProcessNews): Intake;
  /** What it has heard of these and not told on is not to be told any more. */
  onWithdrawn(withdrawal: Withdrawal): void;
}

/** The processes of one owner: what happens to them, and how they end with it. */
export interface OwnProcesses {
  /**
   * Tells of each end, earlier ones included, of what is silent or takes long, and what watches and schedules tell. The same news has the same id. An end
   * that was taken in stands in the timeline of its process: who comes after this program does not tell it again. Schedules are withdrawn when
   * they are cancelled, and those of a process, whoever has it, before its end is told.
   */
  watch(listener: OwnListener): Cancel;
  alive(): readonly ProcessView[];
  /** Nothing is alive that ends with its owner, and every end of such has been told to the watcher. */
  readonly areGone: boolean;
  /** Something lives that `release` would end: a process, or what one has left alive. */
  readonly isBusy: boolean;
  /**
   * Ends what lives, and what has left something alive; the heir takes over what is meant for it. What is persistent continues, with
   * its watches and schedules: their news wait for the same owner. All others are taken back.
   */
  release(heir: string | null): Promise<void>;
}

/** `remembersAll`: whoever hears the news knows by itself which of them it had, and needs no mark for it. */
export function createOwnProcesses(
  supervisor: Supervisor,
  { owner, remembersAll }: { readonly owner: string; readonly remembersAll: boolean },
): OwnProcesses {
  /** What was started and whose end has not been told: it comes some time after nothing is alive any more. */
  const untold = new Set<string>();
  const wasTold = (id: string) =>
    (!remembersAll &&
      supervisor
        .get(id)
        ?.timeline()
        .some(({ type, detail }) => type === 'process.notified' && detail === owner)) ??
    false;
  const alive = () => supervisor.list({ owner, live: true });
  const outlives = (id: string) => {
    const view = supervisor.get(id)?.view();
    return view !== undefined && isPersistent(view) && !isEnded(view);
  };
  /** What ends with its owner. */
  const toEnd = () =>
    supervisor
      .list({ owner })
      .filter((view) => !isPersistent(view) && (!isEnded(view) || view.leftovers.length > 0));

  const tellEnd = (view: FinalView, onNews: (news: ProcessNews) => Intake) => {
    const tell = (ports: readonly number[]) => {
      untold.delete(view.id);
      const intake = onNews({
        id: toCompletionId(view),
        part: toPart(view, { supervisor, ports }),
        view,
      });
      if (intake === 'taken') supervisor.get(view.id)?.acknowledge(owner);
    };
    const left = [...view.leftovers, ...view.suspects].map(({ pid }) => pid);
    if (left.length === 0) tell([]);
    else void findListeningPorts(left).then(tell);
  };

  return {
    alive,
    get areGone() {
      return untold.size === 0 && alive().every(isPersistent);
    },
    get isBusy() {
      return toEnd().length > 0;
    },
    watch: ({ onNews, onWithdrawn }) => {
      const ends = supervisor.completions$.subscribe((completion) => {
        if (completion.process.owner === owner) tellEnd(completion.process, onNews);
      });
      const events = supervisor.events$.subscribe((event) => {
        if (event.type === 'schedule.cancelled') onWithdrawn({ of: 'schedule', id: event.schedule.id });
        if (event.type === 'process.ended') onWithdrawn({ of: 'process', id: event.process.id });
        if (!('process' in event) || event.process.owner !== owner) return;
        const { process: view, type, at } = event;
        if (type === 'process.created' && !isPersistent(view)) untold.add(view.id);
        if (type !== 'process.silent' && type !== 'process.elapsed') return;
        const word = type === 'process.silent' ? 'silent' : 'elapsed';
        // Only the agent can type, and without that the process waits for ever.
        const isStuck = word === 'silent' && view.awaitsInput?.certainty === 'known';
        onNews({
          id: `${view.id}/${view.attempt}/${word}/${at}`,
          part: toRunningPart(word, view),
          view: null,
          ...(isStuck && { attention: 'turn' }),
        });
      });
      const news = supervisor.newsOf(owner).subscribe((each) => {
        const part = each.type === 'schedule.due' ? toDuePart(each) : toWatchPart(each);
        onNews({ id: each.id, part, view: null, attention: 'turn' });
      });
      // What was started before, by a conversation that somebody dropped and that is gone on with here.
      for (const view of supervisor.list({ owner })) {
        if (wasTold(view.id)) continue;
        if (!isPersistent(view)) untold.add(view.id);
        if (isEnded(view)) tellEnd(view, onNews);
      }
      return () => {
        ends.unsubscribe();
        events.unsubscribe();
        news.unsubscribe();
      };
    },
    release: async (heir) => {
      for (const { processId } of supervisor.watches({ owner }))
        if (!outlives(processId)) supervisor.unwatch(processId, { owner });
      for (const { id, processId } of supervisor.schedules({ owner }))
        if (processId === null || !outlives(processId)) supervisor.unschedule(id);
      await Promise.all(
        toEnd().map(async ({ id, lifetime }) => {
          const isInherited = lifetime === 'parent' && heir !== null;
          if (!(isInherited && supervisor.transfer(id, heir))) await supervisor.kill(id, { by: 'owner' });
        }),
      );
    },
  };
}

function isPersistent({ lifetime }: ProcessView): boolean {
  return lifetime === 'persistent';
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
  const answer = view.kind === 'agent' && handle !== undefined ? toAnswer(handle) : null;
  return toEndedPart(view, { tail, unreadBytes: Math.max(0, bytes - read), ports, answer });
}

/** What a child agent answered, or why it could not. */
function toAnswer(handle: ProcessHandle): string | null {
  const answer = readAgentAnswer(handle);
  if (answer === null) return null;
  const said = answer.ok ? answer.data : answer.error;
  return typeof said === 'string' ? said : (JSON.stringify(said) ?? '');
}
