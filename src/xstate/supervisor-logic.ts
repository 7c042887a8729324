import type { ActorLogic, ActorScope, AnyActorRef, EventObject, Snapshot } from 'xstate';
import type { CommandSpec, FunctionSpec } from '../config/process-spec.ts';
import { createReachableSupervisor } from '../control/reachable-supervisor.ts';
import type { KillOptions } from '../process/process-handle.ts';
import type { ProcessView } from '../process/process-view.ts';
import type { RuntimeEvent } from '../supervisor/runtime-event.ts';
import type { ShutdownReport } from '../supervisor/shutdown-report.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { SupervisorOptions } from '../supervisor/supervisor-options.ts';
import type { ChildEvent } from './child-event.ts';

/** Commands that a machine sends to its supervisor. */
export type SupervisorActorCommand =
  /** Starts a process. `process.created` tells its id; a start that is refused is told as `process.refused`. */
  | { readonly type: 'process.start'; readonly spec: CommandSpec | FunctionSpec }
  /** Ends a process with its whole tree; has no effect on an unknown one. */
  | ({ readonly type: 'process.stop'; readonly id: string } & Pick<KillOptions, 'signal' | 'grace'>)
  /** Shuts the supervisor down; the actor is done once all processes are gone or released. */
  | { readonly type: 'supervisor.stop' };

/** Events that the parent of the supervisor receives: everything on `events$`, and refused starts. */
export type SupervisorActorEvent = ChildEvent<
  | Exclude<RuntimeEvent, { readonly type: 'supervisor.stopped' }>
  /** A start was refused. `error` is the `TroupeError` of `supervisor.start`. */
  | { readonly type: 'process.refused'; readonly spec: CommandSpec | FunctionSpec; readonly error: unknown }
>;

/** Snapshot of a supervisor as an actor. */
export type SupervisorActorSnapshot = Snapshot<ShutdownReport> & {
  /** Options from the input. */
  readonly options: SupervisorOptions;
  /** The supervisor; `null` until the actor is started, and in a persisted snapshot. */
  readonly supervisor: Supervisor | null;
  /** Views of all processes, as on `processes$`; empty in a persisted snapshot. */
  readonly processes: readonly ProcessView[];
};

/** Logic of an actor that is a supervisor. */
export type SupervisorActorLogic = ActorLogic<
  SupervisorActorSnapshot,
  SupervisorActorCommand,
  SupervisorOptions | undefined
>;

/** Events that the actor receives: commands, everything on `events$`, and its start and its list. */
type Heard =
  | SupervisorActorCommand
  | RuntimeEvent
  | { readonly type: 'xstate.stop' }
  | { readonly type: 'supervisor.created'; readonly supervisor: Supervisor }
  | { readonly type: 'processes.changed'; readonly processes: readonly ProcessView[] };

type Scope = ActorScope<SupervisorActorSnapshot, Heard & EventObject>;

interface Attachment {
  readonly supervisor: Supervisor;
  /** Ends the subscriptions; the supervisor continues. */
  release(): void;
}

/**
 * Creates the logic of an actor that is a supervisor: it is created when the actor starts, and shut down when the actor is stopped, so
 * that no process outlives the state that invoked it, except persistent ones. The input has options of `createSupervisor`; `options` are
 * those that cannot be part of a persisted snapshot, such as functions. The output is the report of the shutdown.
 *
 * A persisted snapshot has the input alone. The restored actor creates another supervisor, which adopts the processes of its state directory.
 */
export function supervisorLogic(options: SupervisorOptions = {}): SupervisorActorLogic {
  const attachments = new WeakMap<AnyActorRef, Attachment>();
  const logic: ActorLogic<SupervisorActorSnapshot, Heard & EventObject, SupervisorOptions | undefined> = {
    getInitialSnapshot: (_, input = {}) => ({
      ...{ output: undefined, error: undefined, options: input, supervisor: null, processes: [] },
      status: 'active',
    }),
    start: (snapshot, scope) => {
      if (snapshot.status !== 'active') return;
      const supervisor = createReachableSupervisor({ ...options, ...snapshot.options });
      attachments.set(scope.self, attach(supervisor, scope));
    },
    transition: (snapshot, event, { self }) => {
      const heard: Heard = event;
      const attachment = attachments.get(self);
      switch (heard.type) {
        case 'process.start':
          if (attachment !== undefined) start(attachment.supervisor, { spec: heard.spec, self });
          return snapshot;
        case 'process.stop':
          void attachment?.supervisor.kill(heard.id, {
            by: 'owner',
            signal: heard.signal,
            grace: heard.grace,
          });
          return snapshot;
        case 'supervisor.stop':
          void attachment?.supervisor.shutdown();
          return snapshot;
        case 'supervisor.created':
          return { ...snapshot, supervisor: heard.supervisor };
        case 'processes.changed':
          return { ...snapshot, processes: heard.processes };
        case 'supervisor.stopped':
          attachment?.release();
          return { ...snapshot, status: 'done', output: heard.report, error: undefined };
        case 'xstate.stop':
          attachment?.release();
          void attachment?.supervisor.shutdown();
          return { ...snapshot, status: 'stopped', output: undefined, error: undefined };
        default:
          tell(self, heard);
          return snapshot;
      }
    },
    getPersistedSnapshot: (snapshot) => ({ ...snapshot, supervisor: null, processes: [] }),
    restoreSnapshot: (persisted) => persisted as SupervisorActorSnapshot,
  };
  return logic as unknown as SupervisorActorLogic;
}

function attach(supervisor: Supervisor, { self }: Scope): Attachment {
  self.send({ type: 'supervisor.created', supervisor });
  const events = supervisor.events$.subscribe((event) => self.send(event));
  const lists = supervisor.processes$.subscribe((processes) =>
    self.send({ type: 'processes.changed', processes }),
  );
  return {
    supervisor,
    release: () => {
      events.unsubscribe();
      lists.unsubscribe();
    },
  };
}

function start(
  supervisor: Supervisor,
  { spec, self }: { readonly spec: CommandSpec | FunctionSpec; readonly self: AnyActorRef },
): void {
  try {
    supervisor.start(spec);
  } catch (error) {
    tell(self, { type: 'process.refused', spec, error });
  }
}

function tell(self: AnyActorRef, event: Record<string, unknown> & EventObject): void {
  self._parent?.send({ ...event, actorId: self.id });
}
