import { Subject } from 'rxjs';
import type { TreeMember } from '../../machines/process/context.ts';
import type { ProcessAnnouncement } from '../../machines/process/events.ts';
import { isFinal } from '../../machines/process/view.ts';
import type { Cancel } from '../clock/clock.ts';
import { createAwaitedInputs } from '../input-detection/awaited-inputs.ts';
import { redactText } from '../output/redact.ts';
import { toCompletionId } from '../process/process-id.ts';
import type { ProcessWorld } from '../process/process-world.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import { hasPendingNotice } from '../process/timeline.ts';
import { findListeningPorts } from '../readiness/listening-ports.ts';
import { watchReadiness } from '../readiness/watch-readiness.ts';
import { openSchedules, type ScheduleBook } from '../schedules/open-schedules.ts';
import { createSecretResolver } from '../secrets/secret-resolver.ts';
import { createWatches, type Watches } from '../watches/watches.ts';
import { type Admission, createAdmission } from './admission.ts';
import { type CompletionStream, createCompletionStream } from './completion-stream.ts';
import type { Ground } from './ground.ts';
import { createLeftoverKeeper, type LeftoverKeeper } from './leftover-keeper.ts';
import { createNewsStream, type NewsStream } from './news-stream.ts';
import { provideProcessEffects } from './process-effects.ts';
import { createProcessRegistry, type ProcessRegistry } from './process-registry.ts';
import { createRecordKeeper, noRecords, type RecordKeeper } from './record-keeper.ts';
import type { RuntimeEvent } from './runtime-event.ts';

/** The moving parts of a supervisor, wired to each other. */
export interface Runtime {
  readonly world: ProcessWorld;
  readonly registry: ProcessRegistry;
  readonly admission: Admission;
  readonly leftovers: LeftoverKeeper;
  readonly events: Subject<RuntimeEvent>;
  readonly completions: CompletionStream;
  readonly records: RecordKeeper;
  readonly news: NewsStream;
  readonly watches: Watches;
  readonly schedules: ScheduleBook;
  /** A part of the supervisor does not work. */
  reportFault(error: unknown): void;
  /** Something changed that a list of all processes shows. */
  readonly changes: Subject<void>;
  /** Says once that a process was created: before anything else is said of it, and only if it was not refused. */
  announceCreation(process: SupervisedProcess): void;
  /** What an ended process has left behind is owned from now on, until it is gone. */
  keepLeftovers(process: SupervisedProcess): void;
  /**
   * Ends for a shutdown what ended processes have left behind; leftovers of persistent processes are released. Resolves when all of them
   * are gone or known to survive.
   */
  endLeftovers(): Promise<void>;
}

type ProcessEventType = Extract<RuntimeEvent, { readonly process: unknown }>['type'];

export function createRuntime(ground: Ground, reportError: (error: unknown) => void): Runtime {
  const { clock, trees, settings, store } = ground;
  const events = new Subject<RuntimeEvent>();
  const completions = createCompletionStream();
  const changes = new Subject<void>();
  const leftovers = createLeftoverKeeper({
    clock,
    trees,
    onSignalled: (id, { by, signal, isFirst }) =>
      find(id).timeline.add('signalled', {
        by,
        detail: isFirst ? `${signal}: its leftovers` : `${signal}: leftovers alive at the end of the grace`,
      }),
  });
  const records =
    store === null
      ? noRecords
      : createRecordKeeper({
          store,
          environments: ground.environments,
          ground,
          trees,
          enter: ground.enter,
          reportError,
        });
  const registry = createProcessRegistry({
    onForgotten: (process, why) => {
      // For want of room here: others may ask for it, or wait for it.
      const isKept =
        why === 'full' &&
        (process.isRestored ||
          hasPendingNotice({ view: process.view(), timeline: process.timeline.entries }));
      if (!isKept) records.forget(process);
    },
    maxFinished: settings.maxFinished,
    isNeeded: (id) => leftovers.ids.includes(id),
  });
  const news = createNewsStream({
    onDropped: (count) =>
      reportError(new Error(`${count} news of watches and schedules were dropped: nobody listened.`)),
  });
  const watches = createWatches({ clock, tell: news.tell, save: records.touch, reportError });
  const schedules = openSchedules({
    clock,
    news: {
      tell: news.tell,
      withdraw: (isMeant) => news.withdraw((each) => each.type === 'schedule.due' && isMeant(each.schedule)),
    },
    defaultOwner: settings.owner,
    paths: ground.paths,
    supervisorId: ground.supervisorId,
    enter: ground.enter,
    onCancelled: (schedule) => events.next({ type: 'schedule.cancelled', at: clock.epochMs(), schedule }),
    reportError,
  });
  const readiness = new Map<string, Cancel>();
  const inputs = createAwaitedInputs({ clock, findMembers: (process) => findMembers(process, ground) });
  const announced = new WeakSet<SupervisedProcess>();

  const find = (id: string): SupervisedProcess => {
    const process = registry.get(id);
    if (process === undefined) throw new Error(`There is no process ${id}.`);
    return process;
  };

  const admission = createAdmission({
    limits: {
      maxParallelTools: settings.maxParallelTools,
      maxParallelAgents: settings.maxParallelAgents,
      maxBackgroundProcesses: settings.maxBackgroundProcesses,
      shutdownGraceMs: settings.shutdownGrace,
    },
    clock,
    admit: (id) => {
      const process = find(id);
      announceCreation(process);
      process.life.send({ type: 'process.admit' });
    },
    stopEverything: ({ graceMs }) => {
      isStopping = true;
      const order = { signal: 'SIGTERM', graceMs } as const;
      for (const process of [...registry.live.values()]) {
        if (isPersistent(process) && !isQueued(process)) release(process);
        else process.orders.stop({ ...order, by: 'supervisor' });
      }
    },
  });
  let isStopping = false;

  const endLeftovers = async () => {
    const order = { signal: 'SIGTERM', graceMs: settings.shutdownGrace, by: 'supervisor' } as const;
    const endOrRelease = (id: string) =>
      isPersistent(find(id)) ? leftovers.release(id) : leftovers.end(id, order);
    await Promise.all(leftovers.ids.map(endOrRelease));
  };

  /** What is only coming up, or ending, is let go of once it is up, or ends by itself. */
  const release = (process: SupervisedProcess) => {
    // While its chart can be asked how far it has come; in any other state that is done when it announces it.
    if (process.status === 'restarting') records.save(process);
    if (!process.detach()) return;
    stopReadiness(process.id);
    inputs.end(process.id);
    registry.release(process.id);
    watches.release(process.id);
    tell('process.released', process);
    admission.released({ id: process.id, kind: process.plan.kind });
  };

  /** A view costs microseconds: it is made only for who listens. */
  const tell = (type: ProcessEventType, process: SupervisedProcess, more: object = {}) => {
    if (events.observed)
      events.next({ type, at: clock.epochMs(), process: process.view(), ...more } as RuntimeEvent);
  };

  const announceCreation = (process: SupervisedProcess) => {
    if (announced.has(process)) return;
    announced.add(process);
    tell('process.created', process);
  };

  const awaitReadiness = (process: SupervisedProcess) => {
    const { ready, cwd } = process.plan;
    if (ready === null) return;
    readiness.get(process.id)?.();
    const startMs = clock.nowMs();
    const cancel = watchReadiness({
      settings: ready,
      clock,
      log: process.output.log,
      fromOffset: process.output.attemptOffset,
      cwd,
      treePids: async () => (await findMembers(process, ground)).map(({ pid }) => pid),
      onReady: () => {
        process.setReady({ state: 'ready', afterMs: Math.round(clock.nowMs() - startMs) });
        tell('process.ready', process);
      },
      onFailed: (why) => {
        process.setReady({ state: 'failed', why: redactText(why, process.plan.output.secrets) });
        tell('process.unready', process);
      },
    });
    readiness.set(process.id, cancel);
  };

  const stopReadiness = (id: string) => {
    readiness.get(id)?.();
    readiness.delete(id);
  };

  const complete = async (process: SupervisedProcess, searching: Promise<unknown> | null) => {
    const view = await process.ended;
    // Matches first, then the end.
    if (searching !== null) await searching;
    tell('process.ended', process);
    const completion = { id: toCompletionId(view), at: clock.epochMs(), process: view };
    // Whoever is to hear what became of it has perhaps not come back yet.
    completions.tell(completion, { isKept: process.isRestored });
  };

  const keepLeftovers = (process: SupervisedProcess) => {
    if (isStopping && isPersistent(process)) return;
    leftovers.keep(process.id, () => {
      process.forgetLeftovers();
      tell('leftovers.ended', process);
    });
  };

  const endProcess = (process: SupervisedProcess) => {
    stopReadiness(process.id);
    inputs.end(process.id);
    const { leftovers: left } = process.life.view as Extract<
      typeof process.life.view,
      { leftovers: unknown }
    >;
    // Before anybody is told of the end.
    const searching = watches.end(process.id);
    schedules.cancelOf(process.id);
    if (left.length > 0) keepLeftovers(process);
    // Only now: who left something behind is not among those that may be forgotten.
    registry.end(process);
    admission.released({ id: process.id, kind: process.plan.kind });
    void complete(process, searching);
  };

  /** In the next turn: the chart is in the middle of a step. */
  const releaseIfStopping = (process: SupervisedProcess) => {
    if (isStopping && isPersistent(process)) queueMicrotask(() => release(process));
  };

  const onAnnouncement = (id: string, announcement: ProcessAnnouncement) => {
    const process = find(id);
    const { plan } = process;
    switch (announcement.type) {
      case 'process.started':
        if (process.status === 'backgrounded') admission.backgrounded({ id, kind: plan.kind });
        awaitReadiness(process);
        inputs.begin(process);
        tell('process.started', process);
        return releaseIfStopping(process);
      case 'process.adopted':
        if (isAwaited(process)) awaitReadiness(process);
        inputs.begin(process);
        tell('process.adopted', process);
        return releaseIfStopping(process);
      case 'process.signalled':
        // It stands in the timeline; what comes of it is told.
        return;
      case 'process.released':
        // While its chart can still be asked how far it has come.
        return records.save(process);
      case 'process.backgrounded':
        admission.backgrounded({ id, kind: plan.kind });
        records.save(process);
        return tell('process.backgrounded', process, { by: announcement.by });
      case 'process.stopping':
      case 'process.restarting':
        stopReadiness(id);
        inputs.end(id);
        tell(announcement.type, process);
        return releaseIfStopping(process);
      case 'process.ended':
        return endProcess(process);
      default:
        return tell(announcement.type, process);
    }
  };

  const world: ProcessWorld = {
    clock,
    secrets: createSecretResolver({
      sources: settings.secrets,
      cwd: ground.cwd,
      ask: settings.askSecret ?? null,
    }),
    machine: provideProcessEffects({
      clock,
      find,
      saveAttempt: records.saveAttempt,
      leaveQueue: (id) => admission.promoted({ id, kind: find(id).plan.kind }),
      forceKillTree: trees.forceKill,
    }),
    parent: admission.actor,
    onAnnouncement,
    onNoted: (id) => {
      const process = registry.get(id);
      if (process !== undefined) records.touch(process);
    },
    onChange: () => changes.next(),
    slotHolders: (kind) => admission.foregroundIds(kind).map((id) => find(id).view()),
    onTyped: inputs.typed,
    lookForInput: inputs.look,
    members: (id) => findMembers(find(id), ground),
    findPorts: findListeningPorts,
    endLeftovers: (id, order) => leftovers.end(id, order),
    onBroken: (id, error) => {
      trees.forceKill(id);
      tell('process.faulted', find(id), { error });
    },
    onFault: (id, error) => tell('process.faulted', find(id), { error }),
  };
  return {
    world,
    registry,
    admission,
    leftovers,
    records,
    reportFault: reportError,
    events,
    completions,
    news,
    watches,
    schedules,
    changes,
    announceCreation,
    keepLeftovers,
    endLeftovers,
  };
}

function isPersistent({ plan }: SupervisedProcess): boolean {
  return plan.lifetime === 'persistent';
}

/** It waits for a slot that it will not get: nothing of it is there yet that could go on. */
function isQueued(process: SupervisedProcess): boolean {
  const view = process.view();
  return view.status === 'pending' && view.queued;
}

function isAwaited(process: SupervisedProcess): boolean {
  const view = process.view();
  return 'ready' in view && view.ready.state === 'waiting';
}

/** The leader first. */
async function findMembers(
  { id, plan, life: { view } }: SupervisedProcess,
  { trees }: Ground,
): Promise<readonly TreeMember[]> {
  const identity = trees.identityOf(id);
  const others = (await trees.get(id)?.survey()) ?? [];
  if (!('pid' in view) || view.pid === null || isFinal(view.status)) return others;
  const { pid } = view;
  const { pgid = pid, startedAt = '' } = identity ?? {};
  return [{ pid, pgid, startedAt, command: plan.commandLine }, ...others];
}
