import { createScriptedBackend } from '../../src/testing/scripted-backend.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import { createFactGate, type FactGate } from './fact-gate.ts';
import { child, type ModelRow } from './process-model.ts';
import type { World } from './world.ts';

/** Scripted world, in which everything that the model allows can be played. */
export function createScriptedWorld(
  { input, childHoldsOutput, isPersistent }: ModelRow,
  clock: () => VirtualClock,
): {
  world: World;
  gate: FactGate;
} {
  const scripted = createScriptedBackend(
    (run) => {
      run.obeys = () => false;
      run.holdsOutput = childHoldsOutput;
    },
    { durable: isPersistent },
  );
  const gate = createFactGate({
    backend: () => scripted,
    isDurable: isPersistent,
    clock: null,
    on: 'scripts',
  });

  const world: World = {
    comeUp: () => {
      gate.attempt.begin();
      scripted.lastRun.children = [child];
      scripted.lastRun.comeUp();
    },
    beAdopted: () => {
      gate.attempt.begin();
      scripted.lastRun.children = [child];
      scripted.lastRun.beAdopted();
    },
    failToStart: () => {
      gate.attempt.begin();
      const message = 'missing';
      scripted.lastRun.tell({
        type: 'process.spawnFailed',
        cause: 'missing-program',
        code: 'ENOENT',
        message,
      });
    },
    exit: (status) => scripted.lastRun.exit(status),
    endOutput: () => scripted.lastRun.endOutput(),
    beQuiet: () => clock().advance(input.limits.drainQuietMs),
    endChild: () => {
      scripted.lastRun.children = [];
    },
    resist: (alive) => scripted.lastRun.tell({ type: 'tree.seen', alive }),
    vanish: () => scripted.lastRun.tell({ type: 'tree.gone', ended: scripted.lastRun.children }),
    check: () => {},
    dispose: () => scripted.runs.forEach((run) => void run.release()),
  };
  return { world, gate };
}
