import type { KillReceipt, ProcessSignal } from '../../machines/process/context.ts';
import type { Clock } from '../clock/clock.ts';
import { formatDuration } from '../config/duration.ts';
import { describeSurvivors } from '../spawn/tree/describe-survivors.ts';
import { describeSuspects } from '../spawn/tree/suspects.ts';
import { describeEnd } from './describe-end.ts';
import type { KillAnswer } from './process-handle.ts';
import type { ProcessLife } from './process-life.ts';
import type { FinalView, ProcessView } from './process-view.ts';

/** The process to kill. */
interface KillTarget {
  readonly id: string;
  readonly life: ProcessLife;
  readonly clock: Clock;
  view(): ProcessView;
  orderStop(order: KillOrder): void;
  /** Resolves when the tree is gone or when something survived; `null` where nothing was stopped. */
  settled(): Promise<KillReceipt | null>;
}

export interface KillOrder {
  readonly signal: ProcessSignal;
  /** Default: the process's `killGrace`. */
  readonly graceMs: number | undefined;
}

/** Carries out an order to kill, in whatever state the process is, and answers when its outcome is known. */
export async function killProcess(target: KillTarget, order: KillOrder): Promise<KillAnswer> {
  const { life } = target;
  switch (life.status) {
    case 'pending':
    case 'restarting':
      return cancel(target, order);
    case 'running':
    case 'backgrounded':
      return stop(target, { order, type: 'killed' });
    case 'stopping':
      return stop(target, { order, type: 'alreadyStopping' });
    default:
      return life.hasLeftovers ? endLeftovers(target, order) : notRunning(target);
  }
}

async function cancel(target: KillTarget, order: KillOrder): Promise<KillAnswer> {
  const { nextStartAtMs = null } = target.life.progress ?? {};
  target.orderStop(order);
  const receipt = await target.settled();
  // It may have started in the same moment; then it was stopped like any other.
  if (receipt !== null) return toAnswer(target, { receipt, type: 'killed' });
  return {
    type: 'cancelled',
    message: `Process ${target.id} was cancelled before it started${nextStartAtMs === null ? '' : ' again'}.`,
  };
}

async function stop(
  target: KillTarget,
  { order, type }: { order: KillOrder; type: 'killed' | 'alreadyStopping' },
): Promise<KillAnswer> {
  target.orderStop(order);
  const receipt = await target.settled();
  if (receipt === null) return notRunning(target);
  const answer = toAnswer(target, { receipt, type });
  const prefix = type === 'alreadyStopping' ? `Process ${target.id} was already stopping. ` : '';
  return { ...answer, message: `${prefix}${answer.message}` };
}

/** Answers `survived` while a member of the tree is alive. */
function toAnswer(
  target: KillTarget,
  { receipt, type }: { receipt: KillReceipt; type: 'killed' | 'alreadyStopping' },
): KillAnswer {
  const message = withSuspects(describeReceipt(target, receipt), target.view());
  return { type: receipt.survivors.length > 0 ? 'survived' : type, receipt, message };
}

async function endLeftovers(target: KillTarget, order: KillOrder): Promise<KillAnswer> {
  target.orderStop(order);
  const receipt = await target.settled();
  if (receipt === null) return notRunning(target);
  const isGone = receipt.survivors.length === 0;
  const count = receipt.leftoversEnded.length;
  const ended = count === 1 ? '1 leftover was ended' : `${count} leftovers were ended`;
  const rest = isGone ? 'none is left' : `still alive: ${describeSurvivors(receipt.survivors)}`;
  const message = `Process ${target.id} had ended; ${ended}, ${rest}.`;
  return {
    type: isGone ? 'leftoversEnded' : 'survived',
    receipt,
    message: withSuspects(message, target.view()),
  };
}

/** Appends a sentence that names suspects, which may still be alive. */
function withSuspects(message: string, view: ProcessView): string {
  return [message, 'suspects' in view ? describeSuspects(view.suspects) : ''].filter(Boolean).join(' ');
}

function notRunning({ view, clock }: KillTarget): KillAnswer {
  return toNotRunning(view() as FinalView, clock.epochMs());
}

/** Returns the answer to a kill of an ended process without leftovers. */
export function toNotRunning(view: FinalView, nowAt: number): KillAnswer {
  const ago = formatDuration(Math.max(0, nowAt - view.endedAt));
  const why = describeEnd(view.reason, view.exit);
  const message = `Process ${view.id} is not running: it ${why}, ${ago} ago (status ${view.status}).`;
  return { type: 'notRunning', message: withSuspects(message, view) };
}

function describeReceipt(target: KillTarget, receipt: KillReceipt): string {
  const { id } = target;
  const took = formatDuration(receipt.durationMs);
  if (!target.life.hasEnded || receipt.survivors.length > 0) {
    const who =
      receipt.survivors.length === 0 ? '' : `: still alive: ${describeSurvivors(receipt.survivors)}`;
    const state = target.life.hasEnded ? '' : ' It stays "stopping".';
    return `Process ${id} is not gone after ${took}${who}.${state}`;
  }
  const how = receipt.escalated ? `${receipt.signalled}, then SIGKILL` : receipt.signalled;
  const others = receipt.leftoversEnded.length;
  return `Process ${id} is gone after ${took} (${how}${others === 0 ? '' : `, with ${others} other ${others === 1 ? 'member' : 'members'} of its tree`}).`;
}
