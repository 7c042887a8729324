import { toError } from '../config/error-text.ts';
import { parseOptions } from '../config/parse-options.ts';
import { quote } from '../config/quote.ts';
import { supervisorOptions } from '../config/supervisor-options.ts';
import { TroupeError } from '../config/troupe-error.ts';
import { startGroup } from '../groups/create-group.ts';
import { GuardedObservable } from '../output/guarded-observable.ts';
import type { KillAnswer } from '../process/process-handle.ts';
import { isEnded } from '../process/process-view.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import type { SupervisorEntry } from '../store/supervisor-registry.ts';
import { createFaultReports } from './fault-reports.ts';
import { installHostSignals } from './host-signals.ts';
import { createNotificationCalls } from './notification-calls.ts';
import { observeProcesses } from './observe-processes.ts';
import { createOwners, type Owners } from './owners.ts';
import { parseSpec } from './plan-process.ts';
import { nothingRecovered, type RecoveryReport, recover, recoverToStop } from './recover.ts';
import { createRuntime, type Runtime } from './runtime.ts';
import { shutDown } from './shut-down.ts';
import type { ShutdownReport } from './shutdown-report.ts';
import { startProcess } from './start-process.ts';
import type { Supervisor } from './supervisor.ts';
import { createSupervisorDeps, type SupervisorDeps } from './supervisor-deps.ts';
import type { SupervisorOptions } from './supervisor-options.ts';
import { forgetAll, forgetOld, removeOldLogs, sweepRegularly } from './sweep.ts';
import type { SystemDeps } from './system-deps.ts';

/** Callbacks for code that makes a supervisor reachable, such as its socket. */
export interface SupervisorHooks {
  /** Returns the role and socket for the entry in the state directory. Default: a program that cannot be reached. */
  readonly entry?: () => Pick<SupervisorEntry, 'role' | 'socket'>;
  /** `restore` rewrites what was removed from the state directory: the entry, and the records of processes and schedules. */
  readonly onCreated?: (own: { restore(): void }) => void;
  /** Called when a shutdown begins, whether by a call or by a signal. */
  readonly onStopping?: () => void;
  /** Called at the end of a shutdown, which waits for it. */
  readonly onStopped?: () => Promise<void> | void;
  /** Id of the only process to adopt, which will be stopped. */
  readonly adoptsToStop?: string;
  /** Replaces random values and the system, for recordings. Default: the real ones. */
  readonly system?: SystemDeps;
}

/**
 * Creates a supervisor and adopts the processes of earlier supervisors of the state directory (option `recover`). Apart from that
 * nothing is started and no file is written before the first process.
 *
 * @throws TroupeError `invalid-option`; `state-directory` if it is a link, belongs to another user, or is writable by others;
 * `unsupported-platform` on Windows.
 */
export function createSupervisor(options: SupervisorOptions = {}, hooks: SupervisorHooks = {}): Supervisor {
  const settings = parseOptions(supervisorOptions, { input: options, name: 'createSupervisor' });
  const deps = createSupervisorDeps(settings, {
    reportError: (error) => reportFault(error),
    onIdentity: (id) => runtime.processDeps.emit(id, { type: 'record.changed' }),
    ...(hooks.entry && { entry: hooks.entry }),
    ...(hooks.system && { system: hooks.system }),
  });
  const runtime = createRuntime(deps, (error) => reportFault(error));
  const { registry, publication } = runtime;
  const reportFault = createFaultWarnings(runtime, deps);
  const onSubscriberError = (error: unknown) =>
    process.emitWarning(toError(error), 'TroupeSubscriberWarning');
  const owners = createOwners();
  const list = createList(runtime, owners);

  let stopping: Promise<ShutdownReport> | null = null;
  const shutdown = () => {
    if (stopping !== null) return stopping;
    hooks.onStopping?.();
    stopping = shutDown(runtime, deps).finally(() => {
      cancelSweeps();
      removeSignals();
      return hooks.onStopped?.();
    });
    return stopping;
  };
  const removeSignals = settings.handleSignals ? installHostSignals(shutdown) : () => {};

  const cancelSweeps = sweepRegularly(runtime, deps);
  const recovered = recoverAs(hooks.adoptsToStop, { runtime, deps });
  warnOfRecovery(recovered);
  hooks.onCreated?.({
    restore: () => {
      deps.register();
      for (const each of [...registry.live.values(), ...registry.ended.values()]) runtime.records.touch(each);
      runtime.schedules.saveAll();
    },
  });
  const start: Supervisor['start'] = (spec) => startProcess(parseSpec(spec), { runtime, deps }).handle;

  return {
    id: deps.supervisorId,
    cwd: deps.cwd,
    stateDirectory: deps.paths?.directory ?? null,
    recovered,
    inspect: runtime.inspect,
    start,
    execute: async (spec) => {
      try {
        return await start(spec).result();
      } catch (error) {
        const refusal = toTroupeError(error);
        return { type: 'refused', error: refusal, message: refusal.message };
      }
    },
    startGroup: (options) => startGroup({ start }, options),
    get: (id) => registry.get(id)?.handle,
    find: (label) => findByLabel(label, registry)?.handle,
    list,
    transfer: (id, owner) => transfer(id, { owner, runtime }),
    adopt: owners.adopt,
    isWithin: owners.isWithin,
    kill: async (id, order) => (await registry.get(id)?.orders.kill(order)) ?? notFound(id, runtime),
    ...createNotificationCalls(runtime, onSubscriberError),
    events$: new GuardedObservable(
      (subscriber) => publication.events.subscribe(subscriber),
      onSubscriberError,
    ),
    completions$: new GuardedObservable(
      (subscriber) => publication.completions.completions$.subscribe(subscriber),
      onSubscriberError,
    ),
    processes$: observeProcesses({ changes: publication.changes, list, onSubscriberError }),
    sweep: async ({ all = false } = {}) =>
      all
        ? forgetAll(runtime, deps)
        : { forgotten: forgetOld(runtime, deps), logsRemoved: await removeOldLogs(runtime, deps) },
    shutdown,
    [Symbol.asyncDispose]: async () => void (await shutdown()),
  };
}

function recoverAs(
  id: string | undefined,
  { runtime, deps }: { runtime: Runtime; deps: SupervisorDeps },
): RecoveryReport {
  if (id !== undefined) return recoverToStop(id, { runtime, deps });
  return deps.settings.recover ? recover(runtime, deps) : nothingRecovered;
}

/** Returns the error of a refused start; one that is no refusal is a fault of troupe. */
function toTroupeError(error: unknown): TroupeError {
  if (error instanceof TroupeError) return error;
  return new TroupeError({ code: 'internal', message: toError(error).message, cause: error });
}

function createList({ registry }: Runtime, { isWithin }: Owners): Supervisor['list'] {
  return ({ live, owner: asked, children } = {}) =>
    [...registry.live.values(), ...(live ? [] : registry.ended.values())]
      .filter(
        ({ owner }) =>
          asked === undefined || owner === asked || (children === true && isWithin(owner, asked)),
      )
      .map((each) => each.view());
}

function findByLabel(label: string, { live, ended }: Runtime['registry']): SupervisedProcess | undefined {
  const isMeant = ({ plan }: SupervisedProcess) => plan.label === label;
  return [...live.values()].findLast(isMeant) ?? [...ended.values()].findLast(isMeant);
}

function transfer(id: string, { owner, runtime }: { owner: string; runtime: Runtime }): boolean {
  const given = runtime.registry.get(id);
  if (given === undefined) return false;
  given.owner = owner;
  runtime.processDeps.emit(id, { type: 'record.changed' });
  runtime.processDeps.emit(id, { type: 'view.changed' });
  const view = given.view();
  if (isEnded(view)) runtime.mailboxes.addEnd(view);
  return true;
}

/** Publishes faults. Only the first error becomes a warning; subscribers receive all of them. */
function createFaultWarnings({ publication }: Runtime, { clock }: SupervisorDeps): (error: unknown) => void {
  let hasWarned = false;
  return createFaultReports({
    clock,
    publish: ({ error, times }) => {
      publication.events.next({ type: 'supervisor.faulted', at: clock.epochMs(), error, times });
      if (!hasWarned) process.emitWarning(toError(error));
      hasWarned = true;
    },
  });
}

function warnOfRecovery({ damaged, problem }: RecoveryReport): void {
  const [first] = damaged;
  if (first !== undefined) {
    const more = damaged.length === 1 ? '' : ` (and ${damaged.length - 1} more)`;
    const message = `A record of a process cannot be used and was not changed: ${first.name}: ${first.why}${more}.`;
    process.emitWarning(message, 'TroupeRecordWarning');
  }
  if (problem !== null) process.emitWarning(problem, 'TroupeRecoveryWarning');
}

function notFound(id: string, { registry }: Runtime): KillAnswer {
  const nearest = registry.nearest(id);
  const hint = nearest.length === 0 ? 'There are no processes.' : `Did you mean ${nearest.join(' or ')}?`;
  return { type: 'notFound', nearest, message: `Process ${quote(id)} not found. ${hint}` };
}
