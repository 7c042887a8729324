import type { ActorLogic, ActorScope, AnyActorRef, EventObject, Snapshot } from 'xstate';
import { type LeaveOptions, leaveOptions } from '../config/leave-options.ts';
import { parseOptions } from '../config/parse-options.ts';
import type { CommandSpec, FunctionSpec } from '../config/process-spec.ts';
import { TroupeError } from '../config/troupe-error.ts';
import type { KillOptions, ProcessHandle } from '../process/process-handle.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import type { RuntimeEvent } from '../supervisor/runtime-event.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { ChildEvent } from './child-event.ts';
import { toLostView } from './to-lost-view.ts';

/** Input of `processLogic`: the spec of a start, and what happens when the state is left. */
export type ProcessActorInput = (CommandSpec | FunctionSpec) & LeaveOptions;

/** Commands that a machine sends to the process, with `sendTo('build', { type: 'process.stop' })`. */
export type ProcessActorCommand =
  /** Ends the whole tree. Defaults as in `handle.kill`; the actor is done once the tree is gone. */
  | ({ readonly type: 'process.stop' } & Pick<KillOptions, 'signal' | 'grace'>)
  /** Moves the process to the background: its limits for the foreground no longer apply. */
  | { readonly type: 'process.background' };

/** Events of its process that the parent receives, under the names of the chart. The end is the actor's own `done`. */
export type ProcessActorEvent = ChildEvent<
  Exclude<Extract<RuntimeEvent, { readonly process: unknown }>, { readonly type: 'process.ended' }>
>;

/** Snapshot of a process as an actor. A failed process is `done`; only a refused start is an `error`. */
export type ProcessActorSnapshot = Snapshot<FinalView> & {
  /** The process; `null` until it is started, and in an actor whose start was refused. */
  readonly process: ProcessView | null;
  /** The spec until the process is started, afterwards `null`: a snapshot of a started process cannot start another one. */
  readonly spec: CommandSpec | FunctionSpec | null;
  readonly onLeave: 'kill' | 'detach';
};

/** Logic of an actor that is a process of a supervisor. */
export type ProcessActorLogic = ActorLogic<ProcessActorSnapshot, ProcessActorCommand, ProcessActorInput>;

/** Events that the actor receives: commands, events of its process, and a view without an event. */
type Heard =
  | ProcessActorCommand
  | { readonly type: 'xstate.stop' }
  | (RuntimeEvent & { readonly process: ProcessView })
  | { readonly type: 'process.ended'; readonly process: FinalView }
  | { readonly type: 'process.changed'; readonly process: ProcessView };

type Scope = ActorScope<ProcessActorSnapshot, Heard & EventObject>;

/** The process of a running actor. */
interface Attachment {
  readonly handle: ProcessHandle;
  /** Ends the subscriptions; the process continues. */
  release(): void;
}

/**
 * Creates the logic of an actor that is a process, for `invoke` and `spawn` in a machine of yours. The input is the spec of a start, with
 * its defaults. The output is the final view, whatever the status: `failed`, `killed` and `lost` are values. `onError` means that nothing
 * was started, with the `TroupeError` of `supervisor.start`.
 *
 * A persisted snapshot of a started process re-attaches by the id of the process and never starts another one. Where the supervisor does
 * not know that process any more, the output has the status `lost`. To start at most once even if the program ends before the snapshot is
 * saved, give the spec an `id`.
 *
 * @throws TroupeError `invalid-option` without a supervisor.
 *
 * @example
 * const machine = setup({ actors: { process: processLogic(supervisor) } }).createMachine({
 *   initial: 'building',
 *   states: {
 *     building: {
 *       invoke: {
 *         src: 'process',
 *         input: { command: 'npm run build' },
 *         onDone: [
 *           { guard: ({ event }) => event.output.status === 'completed', target: 'built' },
 *           { target: 'broken' },
 *         ],
 *       },
 *     },
 *     built: {},
 *     broken: {},
 *   },
 * });
 */
export function processLogic(supervisor: Supervisor): ProcessActorLogic {
  checkSupervisor(supervisor);
  const attachments = new WeakMap<AnyActorRef, Attachment>();
  const logic: ActorLogic<ProcessActorSnapshot, Heard & EventObject, ProcessActorInput> = {
    getInitialSnapshot: (_, input) => toInitialSnapshot(input),
    start: (snapshot, scope) => {
      if (snapshot.status !== 'active') return;
      const attachment = attach(supervisor, { snapshot, scope });
      if (attachment !== null) attachments.set(scope.self, attachment);
    },
    transition: (snapshot, event, { self }) => {
      const attachment = attachments.get(self);
      const heard: Heard = event;
      switch (heard.type) {
        case 'process.stop':
          void attachment?.handle.kill({ by: 'owner', signal: heard.signal, grace: heard.grace });
          return snapshot;
        case 'process.background':
          attachment?.handle.background('owner');
          return snapshot;
        case 'process.ended':
          attachment?.release();
          return {
            ...snapshot,
            ...hasStarted(heard.process),
            status: 'done',
            output: heard.process,
            error: undefined,
          };
        case 'xstate.stop':
          if (attachment !== undefined) {
            const isRestarted = () => attachments.get(self) !== attachment;
            leave(attachment, { self, onLeave: snapshot.onLeave, isRestarted });
          }
          return { ...snapshot, status: 'stopped', output: undefined, error: undefined };
        case 'process.changed':
          return { ...snapshot, ...hasStarted(heard.process) };
        default:
          if (!('process' in heard)) return snapshot;
          self._parent?.send({ ...heard, actorId: self.id });
          return { ...snapshot, ...hasStarted(heard.process) };
      }
    },
    getPersistedSnapshot: (snapshot) => snapshot,
    restoreSnapshot: (persisted) => persisted as ProcessActorSnapshot,
  };
  return logic as unknown as ProcessActorLogic;
}

function checkSupervisor(supervisor: Supervisor | undefined): void {
  if (typeof supervisor?.start === 'function') return;
  const message = `processLogic: the supervisor is ${supervisor === null ? 'null' : typeof supervisor}; expected one from createSupervisor().`;
  throw new TroupeError({ code: 'invalid-option', message });
}

function toInitialSnapshot(input: ProcessActorInput | undefined): ProcessActorSnapshot {
  const { onLeave: given, ...spec } = input ?? ({} as ProcessActorInput);
  const { onLeave } = parseOptions(leaveOptions, { input: { onLeave: given }, name: 'processLogic' });
  return { status: 'active', output: undefined, error: undefined, process: null, spec, onLeave };
}

function hasStarted(process: ProcessView): Pick<ProcessActorSnapshot, 'process' | 'spec'> {
  return { process, spec: null };
}

/**
 * Starts the process, or finds the one of a restored snapshot, and passes what happens to it on to the actor.
 *
 * @throws TroupeError where the start is refused.
 */
function attach(
  supervisor: Supervisor,
  { snapshot, scope: { self } }: { readonly snapshot: ProcessActorSnapshot; readonly scope: Scope },
): Attachment | null {
  // Some events are published before `start` returns the id.
  let id = snapshot.process?.id ?? null;
  const early: RuntimeEvent[] = [];
  const pass = (event: RuntimeEvent) => {
    if ('process' in event && event.process.id === id && event.type !== 'process.ended') self.send(event);
  };
  const events = supervisor.events$.subscribe((event) => (id === null ? early.push(event) : pass(event)));
  const handle = findOrStart(supervisor, snapshot, () => events.unsubscribe());
  if (handle === undefined) {
    if (snapshot.process !== null)
      self.send({ type: 'process.ended', process: toLostView(snapshot.process) });
    return null;
  }
  id = handle.id;
  for (const event of early) pass(event);
  const views = handle.view$.subscribe((process) => self.send({ type: 'process.changed', process }));
  let isReleased = false;
  void handle.ended.then((process) => {
    if (!isReleased) self.send({ type: 'process.ended', process });
  });
  return {
    handle,
    release: () => {
      isReleased = true;
      events.unsubscribe();
      views.unsubscribe();
    },
  };
}

function findOrStart(
  supervisor: Supervisor,
  { process, spec }: ProcessActorSnapshot,
  giveUp: () => void,
): ProcessHandle | undefined {
  try {
    const handle = process === null ? supervisor.start(spec as CommandSpec) : supervisor.get(process.id);
    if (handle === undefined) giveUp();
    return handle;
  } catch (error) {
    giveUp();
    throw error;
  }
}

/** Kills the process of a stopped actor or lets it go. */
function leave(
  { handle, release }: Attachment,
  {
    self,
    onLeave,
    isRestarted,
  }: { readonly self: AnyActorRef; readonly onLeave: 'kill' | 'detach'; readonly isRestarted: () => boolean },
): void {
  release();
  // Later: children are stopped before the machine above them counts as stopped, and React's StrictMode starts an actor again at once.
  queueMicrotask(() => {
    if (isRestarted()) return;
    if (handle.view().lifetime === 'persistent' && isWholeMachineStopped(self)) return;
    if (onLeave === 'detach') handle.background('owner');
    else void handle.kill({ by: 'owner' });
  });
}

function isWholeMachineStopped(self: AnyActorRef): boolean {
  let root = self;
  while (root._parent !== undefined) root = root._parent;
  return root.getSnapshot().status === 'stopped';
}
