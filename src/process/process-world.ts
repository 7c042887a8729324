import type { AnyActorRef } from 'xstate';
import type { KillReceipt, ProcessSignal, Requester, TreeMember } from '../../machines/process/context.ts';
import type { ProcessAnnouncement } from '../../machines/process/events.ts';
import type { processMachine } from '../../machines/process/machine.ts';
import type { Clock } from '../clock/clock.ts';
import type { SecretResolver } from '../secrets/secret-resolver.ts';
import type { AwaitedInput, ProcessKind, ProcessView } from './process-view.ts';

/** What a process needs of the supervisor it belongs to. */
export interface ProcessWorld {
  readonly clock: Clock;
  /** `processMachine` with its effects filled in: once for a supervisor, since providing copies the chart. */
  readonly machine: typeof processMachine;
  readonly secrets: SecretResolver;
  /** The supervisor's own actor. */
  readonly parent: AnyActorRef;
  /** Everything the chart announces, after the process itself has taken note of it. */
  onAnnouncement(id: string, announcement: ProcessAnnouncement): void;
  /** Something stands in its timeline that was not there before. */
  onNoted(id: string): void;
  /** Its status or its readiness is another. */
  onChange(): void;
  /** The processes that hold the foreground slots for processes of that kind, the longest holder first. */
  slotHolders(kind: ProcessKind): readonly ProcessView[];
  /** Somebody has typed or written to it. */
  onTyped(id: string): void;
  /** Looks now whether it waits for somebody to type. */
  lookForInput(id: string): Promise<AwaitedInput | null>;
  /** Who is alive of its tree; the leader first. */
  members(id: string): Promise<readonly TreeMember[]>;
  /** The TCP ports on which these processes listen; none where that cannot be told. */
  findPorts(pids: readonly number[]): Promise<readonly number[]>;
  /** Ends what an ended process left behind, and proves it. */
  endLeftovers(
    id: string,
    order: { signal: ProcessSignal; graceMs: number; by: Requester },
  ): Promise<KillReceipt>;
  /** Its actor threw: nobody is left to end what it has started. Its end is announced after this. */
  onBroken(id: string, error: unknown): void;
  /** What a subscriber threw: it is told, and otherwise without effect. */
  onFault(id: string, error: unknown): void;
}
