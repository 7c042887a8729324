import type { SignalOutcome, SignalReply } from '../../machines/process/events.ts';
import { describeEnd } from './describe-end.ts';
import type { SignalAnswer, SignalRefusal } from './process-handle.ts';
import type { ProcessLife, UntimedCommand } from './process-life.ts';
import { type ProcessView, toPausedAt } from './process-view.ts';

/** Order to signal, pause or resume a process, before the chart receives it. */
export type SignalOrder =
  Extract<UntimedCommand, { type: 'process.signal' | 'process.pause' | 'process.resume' }> extends infer Order
    ? Order extends unknown
      ? Omit<Order, 'reply'>
      : never
    : never;

interface SignalledProcess {
  readonly id: string;
  readonly life: ProcessLife;
  view(): ProcessView;
}

/** Carries out an order that does not stop a process, if its chart takes it now. */
export async function signalProcess(process: SignalledProcess, order: SignalOrder): Promise<SignalAnswer> {
  const { id, life } = process;
  const toCommand = (reply: SignalReply) => ({ ...order, reply }) as UntimedCommand;
  if (!life.can(toCommand(() => {}))) return refuse(process);
  const wasPaused = toPausedAt(process.view()) !== null;
  const outcome = await new Promise<SignalOutcome>((resolve) => life.send(toCommand(resolve)));
  if (!outcome.ok)
    return { ok: false, code: 'notReached', message: `Process ${id} was not reached. ${outcome.error}` };
  const { pids } = outcome;
  return { ok: true, pids, message: describe(order, { id, outcome, wasPaused }) };
}

type Reached = Extract<SignalOutcome, { ok: true }>;

function describe(
  order: SignalOrder,
  { id, outcome, wasPaused }: { readonly id: string; readonly outcome: Reached; readonly wasPaused: boolean },
): string {
  const { pids, running } = outcome;
  const count = pids.length === 1 ? '1 process' : `${pids.length} processes`;
  switch (order.type) {
    case 'process.signal': {
      const later = wasPaused ? ' It is paused, and hears of it when it is resumed.' : '';
      return `${order.signal} was sent to ${count} of ${id}.${later}`;
    }
    case 'process.pause': {
      const still =
        running.length === 0
          ? ''
          : ` Not halted: ${running.join(', ')}. A process in a call of the system halts when the call returns; a process of another user does not.`;
      return `Process ${id} ${wasPaused ? 'was already' : 'is'} paused (${count}).${still}`;
    }
    case 'process.resume':
      return pids.length === 0 ? `Process ${id} was not paused.` : `Process ${id} continues (${count}).`;
  }
}

function refuse({ id, life, view }: SignalledProcess): SignalAnswer {
  const [code, why] = toRefusal(life, view());
  return { ok: false, code, message: `Process ${id} was not signalled: ${why}.` };
}

function toRefusal(life: ProcessLife, view: ProcessView): readonly [SignalRefusal, string] {
  if (life.isDetached) return ['detached', 'its supervisor has shut down and left it running'];
  if ('endedAt' in view) {
    const left = view.leftovers.length === 0 ? '' : ', and a kill ends what it left running';
    return ['ended', `it ${describeEnd(view.reason, view.exit)}${left}`];
  }
  switch (view.status) {
    case 'pending':
      return ['notStarted', 'it has not been started yet'];
    case 'restarting':
      return ['notStarted', 'it waits for its restart'];
    case 'stopping':
      return ['stopping', 'it is being stopped'];
    default:
      return ['stopping', 'its leader has exited, and its end is being determined'];
  }
}
