import { fromCallback } from 'xstate';
import type { BackendCommand, BackendFact } from '../../machines/process/events.ts';
import { processMachine } from '../../machines/process/machine.ts';
import type { RunnerInput } from '../../machines/process/setup.ts';
import type { Cancel, Clock } from '../clock/clock.ts';
import type { LifecycleEvent } from '../process/lifecycle-event.ts';
import { describeLostEnvironment, type ProcessPlan } from '../process/process-plan.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';
import type { BackendPort, SpawnRequest } from '../spawn/backend.ts';
import { refuseAll } from '../spawn/refusals.ts';
import { runWithReserve } from '../spawn/run-with-reserve.ts';
import type { TreeRegistry } from '../spawn/tree/tree-registry.ts';
import type { SystemDeps } from './system-deps.ts';

interface EffectDeps {
  readonly clock: Clock;
  /** @throws for an unknown process, which is a bug. */
  find(id: string): SupervisedProcess;
  readonly emit: (id: string, event: LifecycleEvent) => void;
  /** Returns the request to the backend for an attempt. */
  readonly toRequest: (process: SupervisedProcess, attempt: number) => SpawnRequest;
  readonly trees: TreeRegistry;
  readonly system: Pick<SystemDeps, 'runAttempt'>;
}

/** Implements the actions of the process chart: its body, its deadlines, and the final kill. */
export function provideProcessEffects({
  clock,
  find,
  emit,
  toRequest,
  trees,
  system,
}: EffectDeps): typeof processMachine {
  return processMachine.provide({
    actors: {
      runner: fromCallback<BackendCommand, RunnerInput, BackendFact>(({ input, sendBack, receive }) => {
        const process = find(input.id);
        const { plan, output, life, recordedLeader: leader } = process;
        if (!input.adopts) {
          process.beginAttempt();
          emit(process.id, { type: 'attempt.starting', attempt: input.attempt });
        }
        const { startedAtMs } = life.times;
        const port: BackendPort = {
          request: toRequest(process, input.attempt),
          output: output.log,
          clock,
          ...(input.adopts && startedAtMs !== null && { startedAtMs }),
          ...(input.adopts && leader !== null && { leader }),
          ...(input.adopts && { attemptOffset: output.attemptOffset }),
          tell: (fact) => {
            if (fact.type === 'process.exited') output.log.expectEnd();
            sendBack({ ...fact, atMs: clock.nowMs() });
            if (fact.type === 'output.ended') process.endOutput(input.attempt);
          },
          keepScreen: (screen) => process.input.terminal.keep(screen),
          onCommand: receive,
        };
        return system.runAttempt(port, {
          start: (attempt) => startAttempt(attempt, { plan, adopts: input.adopts }),
          commandLine: plan.commandLine,
          log: output.log,
          adopts: input.adopts,
        });
      }),
    },
    actions: {
      armDeadline: ({ context }, order) => find(context.id).life.deadlines.arm(order, context.spawnedAtMs),
      disarmDeadline: ({ context }, { deadline }) => find(context.id).life.deadlines.disarm(deadline),
      leaveQueue: ({ context }) => emit(context.id, { type: 'process.promoted' }),
      forceKillTree: ({ context }) =>
        trees.forceKill(context.id, (sent) => find(context.id).timeline.addForcedKill(sent)),
    },
  });
}

function startAttempt(
  port: BackendPort,
  { plan, adopts }: { readonly plan: ProcessPlan; readonly adopts: boolean },
): Cancel | undefined {
  const { backend, launch } = plan;
  if (!adopts && launch.lostNames.length > 0) {
    refuseStart(port, launch.lostNames);
    return undefined;
  }
  const act = adopts ? backend.adopt : backend.run;
  if (act !== undefined) return runWithReserve(port, { backend, act });
  // Another supervisor had a backend that is not available here.
  port.tell({ type: 'process.lost', why: 'this supervisor has no way to find it again' });
  return undefined;
}

/** Refuses an attempt whose original environment is lost: the command might behave differently. */
function refuseStart(port: BackendPort, lostNames: readonly string[]): void {
  refuseAll(port);
  port.tell({
    type: 'process.spawnFailed',
    cause: 'other',
    code: null,
    message: describeLostEnvironment(lostNames),
  });
}
