import type { Exclusions } from './coverage-table.ts';

/** Transitions that these paths through real programs never take: nothing survives SIGKILL. Scripts take all. */
export const unreal: Exclusions = {
  'process.stopping.surviving': 'SIGKILL ends everything',
  'process.stopping.killing · deadline.proof · 0': 'SIGKILL ends everything',
  'process.stopping.killing · deadline.proof · 1': 'SIGKILL ends everything',
  'process.stopping.surviving · tree.seen · 0': 'SIGKILL ends everything',
  'process.stopping.surviving · process.stop · 0': 'SIGKILL ends everything',
  'process.leftover.surviving': 'SIGKILL ends everything',
  'process.leftover.killing · deadline.proof · 0': 'SIGKILL ends everything',
  'process.leftover.surviving · tree.seen · 0': 'SIGKILL ends everything',
  'process.leftover.surviving · process.stop · 0': 'SIGKILL ends everything',
  'process.pending.queued · process.adopt · 0': 'test/supervisor/recorded-leftovers.test.ts adopts real ones',
  'process.running.clearing · deadline.proof · 0': 'SIGKILL ends everything',
  'process.backgrounded.clearing · deadline.proof · 0': 'SIGKILL ends everything',
};
