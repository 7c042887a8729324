import type { KillReceipt, ProcessSignal, TreeMember } from '../../../machines/process/context.ts';
import type { Cancel, Clock } from '../../clock/clock.ts';
import type { ProcessTree } from './process-tree.ts';

/** Time SIGKILL may take before living members are called survivors. */
const PROOF_MS = 2_000;

export interface EndOrder {
  readonly signal: ProcessSignal;
  /** Time from the signal to SIGKILL. */
  readonly graceMs: number;
}

/** Running end of a tree. */
export interface TreeEnding {
  /** Resolves once no member is alive, or something is known to have survived. Never rejects. */
  readonly receipt: Promise<KillReceipt>;
  /** Shortens the grace if `graceMs` from now is sooner. */
  shortenGrace(graceMs: number): void;
}

/**
 * Signals a tree, kills what is left at the end of the grace, and proves the end. `onGone` is called when no member is left,
 * `onSignal` for each signal sent to the tree.
 */
export function endTree(
  tree: ProcessTree,
  call: {
    readonly order: EndOrder;
    readonly clock: Clock;
    readonly onGone?: () => void;
    readonly onSignal?: (signal: ProcessSignal) => void;
  },
): TreeEnding {
  const { order, clock, onGone, onSignal } = call;
  const send = (signal: ProcessSignal) => {
    void tree.signal(signal);
    onSignal?.(signal);
  };
  const startMs = clock.nowMs();
  let killAtMs = startMs + order.graceMs;
  let cancelTimer: Cancel = () => {};
  let escalated = false;
  let proving = false;
  /** Living members, including the leader. */
  let alive: readonly TreeMember[] = [];
  let finish: (receipt: KillReceipt) => void = () => {};
  const receipt = new Promise<KillReceipt>((resolve) => {
    finish = resolve;
  });

  const end = (found: Pick<KillReceipt, 'survivors' | 'leftoversEnded'>) => {
    cancelWatch();
    cancelTimer();
    const durationMs = Math.round(clock.nowMs() - startMs);
    finish({ signalled: order.signal, escalated, ...found, durationMs });
  };
  const kill = () => {
    proving = true;
    escalated = order.signal !== 'SIGKILL';
    send('SIGKILL');
    cancelTimer = clock.at(clock.nowMs() + PROOF_MS, () => end({ survivors: alive, leftoversEnded: [] }));
  };
  const armKill = () => {
    cancelTimer();
    cancelTimer = clock.at(killAtMs, kill);
  };

  armKill();
  const cancelWatch = tree.watch({
    onAliveChanged: (members) => {
      alive = members;
    },
    onGone: (leftoversEnded) => {
      end({ survivors: [], leftoversEnded });
      onGone?.();
    },
  });
  send(order.signal);
  return {
    receipt,
    shortenGrace: (graceMs) => {
      const sooner = clock.nowMs() + graceMs < killAtMs;
      if (proving || !sooner) return;
      killAtMs = clock.nowMs() + graceMs;
      armKill();
    },
  };
}
