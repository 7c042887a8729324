import type { Clock } from '../clock/clock.ts';
import { pause } from '../clock/pause.ts';
import { createSupervisorId } from '../process/process-id.ts';
import type { SupervisorEntry, SupervisorRegistry } from '../store/supervisor-registry.ts';

/** A daemon that has won needs so long at most until it listens. */
const SETTLED_MS = 3_000;
const LOOK_MS = 10;

/**
 * Makes this program the one daemon of a state directory, or finds that another one is. Whoever enters the roll first and then finds
 * nobody else in it has it: of two that do so at the same time, the later one finds the earlier. Where both find each other the one
 * with the smaller id stays. What a dead one has left is nobody's place.
 *
 * @returns how to let go of the place; `null` where another daemon has it.
 */
export async function claimDaemon(roll: SupervisorRegistry, clock: Clock): Promise<(() => void) | null> {
  const id = createSupervisorId();
  const leave = () => roll.unregister(id);
  const untilMs = clock.nowMs() + SETTLED_MS;
  roll.register({ id, role: 'daemon', socket: null });
  while (true) {
    const others = lookTwice(roll);
    if (others.length === 0) return leave;
    const isTaken = others.some(({ socket }) => socket !== null);
    const isFirst = others.every((other) => id < other.id);
    if (isTaken || !isFirst || clock.nowMs() > untilMs) {
      leave();
      return null;
    }
    await pause(clock, { ms: LOOK_MS });
  }
}

/**
 * The roll is no picture of one moment: whoever just exchanges its claim for the entry of its supervisor is missed where the new entry came
 * after the names were listed and the old one went before it was read. The second time the new one is there.
 */
function lookTwice(roll: SupervisorRegistry): readonly SupervisorEntry[] {
  const others = listOtherDaemons(roll);
  return others.length > 0 ? others : listOtherDaemons(roll);
}

function listOtherDaemons(roll: SupervisorRegistry): readonly SupervisorEntry[] {
  const alive = roll.list().filter(({ state }) => state === 'alive');
  return alive.map(({ entry }) => entry).filter(({ role, pid }) => role === 'daemon' && pid !== process.pid);
}
