import type { Exclusions } from './coverage-table.ts';

/** Transitions that an operating system that keeps its promises never takes: nothing survives SIGKILL. Scripts do. */
export const unreal: Exclusions = {
  'process.stopping.surviving': 'SIGKILL ends everything',
  'process.stopping.killing · deadline.proof · 0': 'SIGKILL ends everything',
  'process.stopping.killing · deadline.proof · 1': 'SIGKILL ends everything',
  'process.stopping.surviving · tree.seen · 0': 'SIGKILL ends everything',
  'process.stopping.surviving · process.stop · 0': 'SIGKILL ends everything',
  'process.running.clearing · deadline.proof · 0': 'SIGKILL ends everything',
  'process.backgrounded.clearing · deadline.proof · 0': 'SIGKILL ends everything',
};
