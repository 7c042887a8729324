import { fromCallback } from 'xstate';
import type { BackendCommand, BackendFact } from '../../machines/process/events.ts';
import { processMachine } from '../../machines/process/machine.ts';
import type { BodyInput } from '../../machines/process/setup.ts';
import type { Clock } from '../clock/clock.ts';
import type { SupervisedProcess } from '../process/supervised-process.ts';

interface EffectWorld {
  readonly clock: Clock;
  /** @throws when there is none: an effect of a process that the supervisor does not know is a fault of ours. */
  find(id: string): SupervisedProcess;
  /** Ends what the backend may have started, without its help. */
  abandonTree(id: string): void;
}

/** Fills in what the chart of a process only names: its body, its deadlines, and the last resort. */
export function provideProcessEffects(world: EffectWorld): typeof processMachine {
  const { clock } = world;
  return processMachine.provide({
    actors: {
      body: fromCallback<BackendCommand, BodyInput, BackendFact>(({ input, sendBack, receive }) => {
        const { plan, log } = world.find(input.id);
        return plan.backend.run({
          request: plan.toRequest(input.attempt),
          output: log,
          clock,
          tell: (fact) => sendBack({ ...fact, atMs: clock.nowMs() }),
          onCommand: receive,
        });
      }),
    },
    actions: {
      armDeadline: ({ context }, order) =>
        world.find(context.id).life.deadlines.arm(order, context.spawnedAtMs),
      disarmDeadline: ({ context }, { deadline }) => world.find(context.id).life.deadlines.disarm(deadline),
      abandonTree: ({ context }) => world.abandonTree(context.id),
    },
  });
}
