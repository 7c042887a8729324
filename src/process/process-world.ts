import type { ActorOptions, AnyActorRef } from 'xstate';
import type { KillReceipt, ProcessSignal } from '../../machines/process/context.ts';
import type { ProcessAnnouncement } from '../../machines/process/events.ts';
import type { processMachine } from '../../machines/process/machine.ts';
import type { Clock } from '../clock/clock.ts';
import type { SupervisedProcess } from './supervised-process.ts';

/** What a process needs of the supervisor it belongs to. */
export interface ProcessWorld {
  readonly clock: Clock;
  /** `processMachine` with its effects filled in: once for a supervisor, since providing copies the chart. */
  readonly machine: typeof processMachine;
  /** The supervisor's own actor. */
  readonly parent: AnyActorRef | undefined;
  /** Everything the chart announces, after the process itself has taken note of it. */
  onAnnouncement(process: SupervisedProcess, announcement: ProcessAnnouncement): void;
  onViewChange(process: SupervisedProcess): void;
  /** Ends what an ended process left behind, and proves it. */
  endLeftovers(
    process: SupervisedProcess,
    order: { signal: ProcessSignal; graceMs: number },
  ): Promise<KillReceipt>;
  /** A fault of a subscriber or an actor: told, and otherwise without effect. */
  onFault(fault: { process: SupervisedProcess; error: unknown }): void;
}

export type ProcessActorOptions = ActorOptions<typeof processMachine>;
