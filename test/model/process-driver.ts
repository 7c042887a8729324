import type { EndingSignal } from '../../src/config/signal-name.ts';
import type { ProcessHandle } from '../../src/process/process-handle.ts';
import type { VirtualClock } from '../../src/testing/virtual-clock.ts';
import type { FactGate } from './fact-gate.ts';
import type { ModelEvent } from './process-model.ts';
import type { World } from './world.ts';

/** Parts on which a path is walked. */
export interface Scene {
  /** Newest supervisor: each one gets another. */
  readonly process: ProcessHandle;
  readonly world: World;
  readonly gate: FactGate;
  readonly clock: VirtualClock;
  /** Makes room for the queued process. */
  freeSlot(): void;
  /** Starts a supervisor that adopts what the earlier one has left. */
  recover(options: { isSameBoot: boolean; toStop?: boolean }): void;
  /** True while the process has a supervisor. */
  isTakenOver(): boolean;
  /** Shuts the supervisor down. */
  shutDown(): void;
  /** Advances the clock until the actor of the process has received this event. */
  untilHeard(type: ModelEvent['type']): void;
}

type Deed<E> = (scene: Scene, event: E) => Promise<void> | void;
type Driver = { readonly [Type in ModelEvent['type']]: Deed<Extract<ModelEvent, { type: Type }>> };

/** Actions that bring an event about, never by sending it. */
export const processDriver: Driver = {
  'process.admit': ({ freeSlot }) => freeSlot(),
  'process.adopt': (scene) => {
    scene.recover({ isSameBoot: true });
    if ('leftovers' in scene.process.view()) scene.world.beAdopted();
  },
  'process.release': ({ shutDown }) => shutDown(),
  'process.background': ({ process }, { by }) => void process.background(by),
  'process.stop': (scene, { by, signal, graceMs }) => {
    if (!scene.isTakenOver()) scene.recover({ isSameBoot: true, toStop: true });
    void scene.process.kill({
      by,
      signal: signal as EndingSignal,
      ...(graceMs !== undefined && { grace: graceMs }),
    });
  },
  'process.restart': ({ process }, { by }) => void process.restart(by),
  'process.hold': ({ process }, { by, signal }) => void process.hold({ by, signal: signal as EndingSignal }),
  'process.signal': ({ process }, { by, signal, to }) => void process.signal({ by, signal, to }),
  'process.pause': ({ process }, { by }) => void process.pause(by),
  'process.resume': ({ process }, { by }) => void process.resume(by),
  'process.proceed': ({ process }) => void process.proceed(),
  'limits.change': ({ process }, { limits: { maxExecutionMs = 0, maxBackgroundMs = 0 } }) =>
    void process.changeLimits({ maxExecutionTime: maxExecutionMs, maxBackgroundTime: maxBackgroundMs }),

  'process.spawned': fact(({ world }) => world.comeUp()),
  'process.adopted': fact(({ world }) => world.beAdopted()),
  'process.spawnFailed': fact(({ world }) => world.failToStart()),
  'process.exited': fact(({ world }, { exit }) => world.exit(exit)),
  'output.ended': fact(({ world }) => world.endOutput()),
  'output.quieted': fact(({ world }) => world.beQuiet()),
  'tree.surveyed': async (scene, event) => {
    const { world, gate } = scene;
    if (event.leftovers.length > 1) return gate.attempt.tell(event);
    if (event.leftovers.length === 0) await world.endChild();
    gate.attempt.survey();
    await gate.attempt.pass(event.type);
  },
  'tree.seen': fact(({ world }, { alive }) => world.resist(alive)),
  'tree.gone': fact(({ world }) => world.vanish()),
  'process.signalled': fact(({ process }, { signal, why }) => void process.signal({ signal, by: why.by })),
  'tree.paused': fact(() => {}),
  'tree.resumed': fact(({ process }, { why }) => void process.resume(why.by)),
  'process.lost': ({ gate, recover, isTakenOver }, { why }) => {
    if (!isTakenOver()) recover({ isSameBoot: false });
    else gate.attempt.tell({ type: 'process.lost', why });
  },
  'xstate.error.actor.runner': ({ gate, process, untilHeard }, { error, type }) => {
    gate.attempt.breakWith(error as Error);
    void process.write('anything');
    // The runner of leftovers gets no input: it breaks at the next look.
    if ('leftovers' in process.view()) untilHeard(type);
  },

  'deadline.wait': deadline,
  'deadline.execution': deadline,
  'deadline.background': deadline,
  'deadline.grace': deadline,
  'deadline.proof': deadline,
  'deadline.look': deadline,
  'deadline.drain': deadline,
  'deadline.backoff': deadline,
  'deadline.health': deadline,
  'deadline.silence': deadline,
  'deadline.elapsed': deadline,
};

/** Lets something happen in the world, and then its backend report it. */
function fact<E extends Parameters<FactGate['attempt']['tell']>[0]>(deed: Deed<E>): Deed<E> {
  return async (scene, event) => {
    await deed(scene, event);
    await scene.gate.attempt.pass(event.type);
  };
}

function deadline({ untilHeard }: Scene, { type }: { type: ModelEvent['type'] }): void {
  untilHeard(type);
}
