import type { TreeMember } from '../../machines/process/context.ts';
import type { Clock } from '../clock/clock.ts';
import type { AwaitedInput } from '../process/process-view.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import { lookForInput } from './look-for-input.ts';
import { type InputWatch, watchInput } from './watch-input.ts';

/** Which processes of one supervisor wait for somebody to type. Those that nobody can type to are never looked at. */
export interface AwaitedInputs {
  /** It has started, or was found running. */
  begin(process: SupervisedProcess): void;
  typed(id: string): void;
  /** Looks now; `null` as well for whoever is not watched. */
  look(id: string): Promise<AwaitedInput | null>;
  end(id: string): void;
}

export function createAwaitedInputs(wiring: {
  readonly clock: Clock;
  readonly findMembers: (process: SupervisedProcess) => Promise<readonly TreeMember[]>;
}): AwaitedInputs {
  const { clock, findMembers } = wiring;
  const watches = new Map<string, InputWatch>();

  const end = (id: string) => {
    watches.get(id)?.cancel();
    watches.delete(id);
  };

  return {
    begin: (process) => {
      end(process.id);
      if (!process.input.isAvailable) return;
      const watch = watchInput({
        clock,
        log: process.output.log,
        isLogLate: process.plan.output.direct,
        look: (before) =>
          lookForInput({
            leaderPid: findLeader(process),
            hasTerminal: process.plan.terminal?.type === 'terminal',
            treePids: async () => (await findMembers(process)).map(({ pid }) => pid),
            log: process.output.log,
            read: (options) => process.output.read(options),
            before,
          }),
        onChange: (awaited) => process.input.setAwaited(awaited),
      });
      watches.set(process.id, watch);
    },
    typed: (id) => watches.get(id)?.typed(),
    look: async (id) => (await watches.get(id)?.look()) ?? null,
    end,
  };
}

function findLeader({ plan, life: { view } }: SupervisedProcess): number | null {
  return plan.backend.capabilities.osProcesses && 'pid' in view ? view.pid : null;
}
