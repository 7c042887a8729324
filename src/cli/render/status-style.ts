import type { ProcessStatus } from '../../../machines/process/view.ts';
import type { Style } from './page.ts';

/** A status's colour, the same wherever it is shown. */
export const statusStyle = {
  pending: 'dim',
  running: 'cyan',
  backgrounded: 'blue',
  stopping: 'yellow',
  restarting: 'yellow',
  completed: 'green',
  failed: 'red',
  killed: 'yellow',
  timed_out: 'red',
  lost: 'red',
} as const satisfies Record<ProcessStatus, Style>;
