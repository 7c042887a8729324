import type { SentSignal } from '../../machines/process/context.ts';
import type { BackendCommand, SignalOutcome } from '../../machines/process/events.ts';
import { toErrorText } from '../config/error-text.ts';
import type { BackendPort } from './backend.ts';
import type { ProcessTree } from './tree/process-tree.ts';

/** Command for the members of a tree that does not end them. */
type TreeOrder = Extract<BackendCommand, { type: 'tree.signal' | 'tree.pause' | 'tree.resume' }>;

const unknownTree: SignalOutcome = {
  ok: false,
  error: 'Its processes could not be told from others, so that none of them was signalled.',
};

const overtaken: SignalOutcome = { ok: false, error: 'Another order came before it was carried out.' };

/** Carries out an order and replies with its outcome, or with the error that broke it. */
export async function orderTree(
  order: TreeOrder,
  { port, findTree }: { readonly port: BackendPort; readonly findTree: () => Promise<ProcessTree | null> },
): Promise<void> {
  try {
    const tree = await findTree();
    order.reply(tree === null ? unknownTree : await carryOut(order, { tree, port }));
  } catch (error) {
    order.reply({ ok: false, error: `Its processes could not be reached: ${toErrorText(error)}.` });
  }
}

async function carryOut(
  order: TreeOrder,
  { tree, port }: { readonly tree: ProcessTree; readonly port: BackendPort },
): Promise<SignalOutcome> {
  const { why } = order;
  const tellSent = (sent: SentSignal) => port.tell({ type: 'process.signalled', ...sent, why });
  switch (order.type) {
    case 'tree.signal': {
      const sent = await tree.signal(order.signal, order.to);
      for (const each of sent) tellSent(each);
      return toOutcome({ pids: sent.flatMap(({ pids }) => pids), running: [] });
    }
    case 'tree.pause': {
      const halted = await tree.pause(tellSent);
      if (halted === null) return overtaken;
      const { running, ...facts } = halted;
      if (facts.pids.length > 0) port.tell({ type: 'tree.paused', ...facts, why });
      return toOutcome({ pids: facts.pids, running });
    }
    case 'tree.resume': {
      const resumed = await tree.resume(tellSent);
      if (resumed === null) return overtaken;
      const { running: _, ...facts } = resumed;
      port.tell({ type: 'tree.resumed', ...facts, why });
      return { ok: true, pids: facts.pids, running: [] };
    }
  }
}

/** Returns the outcome for the members that were reached; a failure where none was. */
function toOutcome(reached: Omit<Extract<SignalOutcome, { ok: true }>, 'ok'>): SignalOutcome {
  if (reached.pids.length > 0) return { ok: true, ...reached };
  return { ok: false, error: 'It reached no process: none is alive, or all belong to other users.' };
}
