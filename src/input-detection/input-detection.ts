import type { Clock } from '../clock/clock.ts';
import type { ProcessService } from '../process/process-service.ts';
import { type AwaitedInput, toLocalPid } from '../process/process-view.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import type { InputWatchHandle, InputWatchOptions } from './input-watch.ts';
import { lookForInput } from './look-for-input.ts';

/** Detects which processes of a supervisor wait for input. Processes that take no input are not checked. */
export interface InputDetection extends ProcessService {
  /** Checks a process now. Resolves to `null` if it does not wait for input or is not watched. */
  look(id: string): Promise<AwaitedInput | null>;
}

export function createInputDetection({
  clock,
  watchInput,
  findPids,
}: {
  readonly clock: Clock;
  readonly watchInput: (id: string, options: InputWatchOptions) => InputWatchHandle;
  /** Returns the pids of the live members of its tree. */
  readonly findPids: (process: SupervisedProcess) => Promise<readonly number[]>;
}): InputDetection {
  const watches = new Map<string, InputWatchHandle>();

  const end = (id: string) => {
    watches.get(id)?.cancel();
    watches.delete(id);
  };

  const begin = (process: SupervisedProcess) => {
    end(process.id);
    if (!process.input.isAvailable) return;
    const watch = watchInput(process.id, {
      clock,
      log: process.output.log,
      isLogLate: process.plan.output.direct,
      look: (before) =>
        lookForInput({
          leaderPid: findLeader(process),
          hasTerminal: process.plan.terminal?.type === 'terminal',
          treePids: () => findPids(process),
          log: process.output.log,
          read: (options) => process.output.read(options),
          before,
        }),
      onChange: (awaited) => process.input.setAwaited(awaited),
    });
    watches.set(process.id, watch);
  };

  return {
    on: (event, process) => {
      switch (event.type) {
        case 'process.started':
        case 'process.adopted':
          return begin(process);
        case 'input.written':
          return watches.get(process.id)?.typed();
        case 'process.stopping':
        case 'process.restarting':
        case 'process.detached':
        case 'process.ended':
          return end(process.id);
      }
    },
    look: async (id) => (await watches.get(id)?.look()) ?? null,
  };
}

function findLeader({ plan, life: { view } }: SupervisedProcess): number | null {
  return plan.backend.capabilities.osProcesses ? toLocalPid({ host: plan.host, view }) : null;
}
