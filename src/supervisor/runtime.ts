import type { InspectionEvent } from 'xstate';
import type { TreeMember } from '../../machines/process/context.ts';
import { isFinal } from '../../machines/process/view.ts';
import { createInputDetection, type InputDetection } from '../input-detection/input-detection.ts';
import { Mailboxes } from '../mailbox/mailboxes.ts';
import { waitFor } from '../observe/wait-for.ts';
import type { LifecycleEvent } from '../process/lifecycle-event.ts';
import type { ProcessDeps } from '../process/process-deps.ts';
import type { ProcessService } from '../process/process-service.ts';
import { createUsageReader } from '../process/process-usage.ts';
import { toLocalPid } from '../process/process-view.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import { createReadinessMonitor } from '../readiness/readiness-monitor.ts';
import { openSchedules, type PersistedSchedules } from '../schedules/open-schedules.ts';
import { createSecretResolver } from '../secrets/secret-resolver.ts';
import type { TreeRegistry } from '../spawn/tree/tree-registry.ts';
import { Watches } from '../watches/watches.ts';
import { Admission } from './admission.ts';
import { observeCauses } from './chart-causes.ts';
import { toRequest } from './create-plan.ts';
import { createInspection } from './inspection.ts';
import { provideProcessEffects } from './process-effects.ts';
import { createProcessRegistry, type ProcessRegistry } from './process-registry.ts';
import { createProcessStopper } from './process-stopper.ts';
import { createPublication, type Publication } from './publication.ts';
import { noRecords, type RecordWriter, StoredRecordWriter } from './record-writer.ts';
import type { SupervisorDeps } from './supervisor-deps.ts';

/** The services of a supervisor, and what they share. */
export interface Runtime {
  readonly processDeps: ProcessDeps;
  readonly registry: ProcessRegistry;
  readonly admission: Admission;
  readonly publication: Publication;
  readonly records: RecordWriter;
  readonly mailboxes: Mailboxes;
  readonly watches: Watches;
  readonly schedules: PersistedSchedules;
  /** Presents actors to the inspector; `null` without one. */
  readonly inspect: ((event: InspectionEvent) => void) | null;
  /** Reports that a part of the supervisor does not work. */
  reportError(error: unknown): void;
}

interface ProcessDepsSources extends Pick<Runtime, 'registry' | 'admission'> {
  readonly inputs: InputDetection;
  readonly emit: ProcessDeps['emit'];
}

/** Creates the services. Each receives every event of every process. */
export function createRuntime(deps: SupervisorDeps, reportError: (error: unknown) => void): Runtime {
  const { clock, trees, settings, system } = deps;
  const { watchReadiness, watchInput } = system;
  const services: ProcessService[] = [];
  /** Passes an event to all services, unless its process is not registered yet or was forgotten. */
  const emit = (id: string, event: LifecycleEvent) => {
    const process = registry.get(id);
    if (process !== undefined) for (const service of services) service.on(event, process);
  };
  const findPids = async (process: SupervisedProcess) =>
    (await findMembers(process, trees)).map(({ pid }) => pid);

  const inspect = settings.inspect === undefined ? null : createInspection(settings.inspect, reportError);
  const records = openRecords(deps, reportError);
  const registry: ProcessRegistry = createProcessRegistry({
    maxFinished: settings.maxFinished,
    removeRecord: (process) => records.forget(process),
  });
  const mailboxes = new Mailboxes({
    find: (id) => registry.get(id)?.handle,
    list: (owner) =>
      [...registry.live.values(), ...registry.ended.values()]
        .filter((process) => process.owner === owner)
        .map((process) => process.view()),
    onDropped: (count) =>
      reportError(new Error(`${count} notices of watches and schedules were dropped: no reader took them.`)),
    onReaderError: reportError,
  });
  const watches = new Watches({
    clock,
    inspect,
    tell: (news) => mailboxes.publish(news),
    save: (process) => records.touch(process),
    reportError,
  });
  const publication = createPublication({ clock, mailboxes, watchesEnded: (id) => watches.ended(id) });
  const schedules = openSchedules({
    clock,
    createId: system.createId,
    paths: deps.paths,
    supervisorId: deps.supervisorId,
    register: deps.register,
    news: {
      tell: (news, onDelivered) => mailboxes.publish(news, onDelivered),
      withdraw: (isMeant) =>
        mailboxes.removePending((each) => each.type === 'schedule.due' && isMeant(each.schedule)),
    },
    defaultOwner: settings.owner,
    onCancelled: (schedule) => {
      mailboxes.withdraw({ of: 'schedule', id: schedule.id });
      publication.events.next({ type: 'schedule.cancelled', at: clock.epochMs(), schedule });
    },
    reportError,
  });
  const stopper = createProcessStopper({
    alive: () => [...registry.live.values(), ...registry.withLeftovers],
    save: (process) => records.save(process),
    emit,
    forceKill: (id) => trees.forceKill(id, (sent) => registry.get(id)?.timeline.addForcedKill(sent)),
  });
  const readiness = createReadinessMonitor({ clock, watchReadiness, findPids, emit });
  const inputs = createInputDetection({ clock, watchInput, findPids });
  const admission = new Admission({
    limits: {
      maxParallelTools: settings.maxParallelTools,
      maxParallelAgents: settings.maxParallelAgents,
      maxBackgroundProcesses: settings.maxBackgroundProcesses,
      shutdownGraceMs: settings.shutdownGrace,
    },
    clock,
    inspect,
    admit: (id) => registry.getOrThrow(id).life.send({ type: 'process.admit' }),
    stopAll: stopper.stopAll,
  });

  // The order matters at an end. Watches search the last output before the process may be forgotten. The slot is released after the process is registered as ended.
  // Subscribers are notified last, when all services are up to date.
  services.push(records, readiness, inputs, watches, schedules, registry, admission, stopper, publication);

  return {
    processDeps: toProcessDeps(deps, { registry, admission, inputs, emit }),
    registry,
    admission,
    records,
    publication,
    mailboxes,
    watches,
    schedules,
    inspect,
    reportError,
  };
}

/** Returns what every process needs of its supervisor. */
function toProcessDeps(
  deps: SupervisorDeps,
  { registry, admission, inputs, emit }: ProcessDepsSources,
): ProcessDeps {
  const { clock, trees, settings, cwd, system } = deps;
  return {
    clock,
    emit,
    causeOf: observeCauses(admission.actor),
    createSeed: system.createSeed,
    secrets: createSecretResolver({ sources: settings.secrets, cwd, ask: settings.askSecret ?? null }),
    machine: provideProcessEffects({
      ...{ clock, emit, trees, system },
      find: registry.getOrThrow,
      toRequest: (process, attempt) => toRequest(process, { attempt, deps }),
    }),
    parent: admission.actor,
    slotHolders: (kind) => admission.foregroundIds(kind).map((id) => registry.getOrThrow(id).view()),
    lookForInput: inputs.look,
    members: (id) => findMembers(registry.getOrThrow(id), trees),
    findPorts: system.findPorts,
    readUsage: createUsageReader({ clock, findPorts: system.findPorts }),
    waitFor: (handle, options) => waitFor(handle, { clock, ...options }),
  };
}

function openRecords(deps: SupervisorDeps, reportError: (error: unknown) => void): RecordWriter {
  const { store, environments, trees, register } = deps;
  if (store === null) return noRecords;
  return new StoredRecordWriter({ store, environments, author: deps, trees, register, reportError });
}

/** Returns the live members of the tree, the leader first. */
async function findMembers(
  { id, plan, life: { view } }: SupervisedProcess,
  trees: TreeRegistry,
): Promise<readonly TreeMember[]> {
  const identity = trees.identityOf(id);
  const others = (await trees.get(id)?.survey()) ?? [];
  const pid = toLocalPid({ host: plan.host, view });
  if (pid === null || isFinal(view.status)) return others;
  const { pgid = pid, startedAt = '' } = identity ?? {};
  return [{ pid, pgid, startedAt, command: plan.commandLine }, ...others];
}
