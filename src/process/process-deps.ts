import type { AnyActorRef } from 'xstate';
import type { TreeMember } from '../../machines/process/context.ts';
import type { processMachine } from '../../machines/process/machine.ts';
import type { Clock } from '../clock/clock.ts';
import type { WaitOptions } from '../config/wait-options.ts';
import type { SecretResolver } from '../secrets/secret-resolver.ts';
import type { LifecycleEvent } from './lifecycle-event.ts';
import type { ProcessHandle } from './process-handle.ts';
import type { ReadUsage } from './process-usage.ts';
import type { AwaitedInput, ProcessKind, ProcessView } from './process-view.ts';
import type { TimelineCause } from './timeline.ts';
import type { Waited } from './waited.ts';

/** Services of the supervisor that a process uses. */
export interface ProcessDeps {
  readonly clock: Clock;
  /** `processMachine` with its effects filled in: once for a supervisor, since providing copies the chart. */
  readonly machine: typeof processMachine;
  readonly secrets: SecretResolver;
  /** The supervisor's own actor. */
  readonly parent: AnyActorRef;
  /** Returns the event of the last transition of an actor. */
  causeOf(actor: AnyActorRef): TimelineCause | null;
  /** Returns the seed for the jitter of the restarts of a process. */
  createSeed(id: string): number;
  /** Hands an event to all services; an announcement of the chart after the process has noted it. */
  emit(id: string, event: LifecycleEvent): void;
  /** Returns the processes that hold the foreground slots for that kind, the longest holder first. */
  slotHolders(kind: ProcessKind): readonly ProcessView[];
  /** Checks now whether the process waits for typed input. */
  lookForInput(id: string): Promise<AwaitedInput | null>;
  /** Returns the live members of its tree, the leader first. */
  members(id: string): Promise<readonly TreeMember[]>;
  /** Returns the TCP ports on which these processes listen; none where that is unknown. */
  findPorts(pids: readonly number[]): Promise<readonly number[]>;
  /** Measures what live processes use. */
  readonly readUsage: ReadUsage;
  /** Waits for conditions of a process, on the supervisor's clock unless the options have another one. */
  waitFor(handle: ProcessHandle, options: WaitOptions): Promise<Waited>;
}
