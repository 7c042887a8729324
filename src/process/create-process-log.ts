import type { Clock } from '../clock/clock.ts';
import { createOutputLog, type OutputLog } from '../output/output-log.ts';
import { createTailedLog } from '../output/tailed-log.ts';
import type { ProcessPlan } from './process-plan.ts';

/** Where the output of a process is kept: by us as it comes, or in the file that the process writes, or has written, itself. */
export function createProcessLog(
  { output, terminal }: ProcessPlan,
  wiring: { clock: Clock; hasEnded: boolean; onListenerError: (error: unknown) => void },
): OutputLog {
  const { clock, hasEnded, onListenerError } = wiring;
  const { logFile, direct, ...kept } = output;
  if (logFile !== null && (direct || hasEnded)) {
    return createTailedLog({
      clock,
      ...logFile,
      isOver: hasEnded,
      stream: terminal?.type === 'terminal' ? 'screen' : 'stdout',
      secrets: output.secrets,
      onListenerError,
    });
  }
  return createOutputLog({ ...kept, clock, ...(logFile !== null && { logFile }), onListenerError });
}
