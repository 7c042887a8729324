import type { Clock } from '../clock/clock.ts';
import { pause } from '../clock/pause.ts';
import { createSupervisorId } from '../process/process-id.ts';
import type { SupervisorEntry, SupervisorRegistry } from '../store/supervisor-registry.ts';

/** Time within which a daemon that won the claim must listen. */
const SETTLED_MS = 3_000;
const LOOK_MS = 10;

/**
 * Makes this program the only daemon of a state directory, or detects that another one is. A claim succeeds when it is
 * registered and no other live claim is found; of two concurrent claims the later one finds the earlier. When both
 * find each other, the smaller id wins. Claims of dead processes do not count.
 *
 * @returns a function that gives up the claim; `null` where another daemon holds it.
 */
export async function claimDaemon(registry: SupervisorRegistry, clock: Clock): Promise<(() => void) | null> {
  const id = createSupervisorId();
  const release = () => registry.unregister(id);
  const untilMs = clock.nowMs() + SETTLED_MS;
  registry.register({ id, role: 'daemon', socket: null });
  while (true) {
    const others = listOthersTwice(registry);
    if (others.length === 0) return release;
    const isTaken = others.some(({ socket }) => socket !== null);
    const isFirst = others.every((other) => id < other.id);
    if (isTaken || !isFirst || clock.nowMs() > untilMs) {
      release();
      return null;
    }
    await pause(clock, { ms: LOOK_MS });
  }
}

/**
 * Lists the other daemons twice. The registry is not a snapshot: a daemon that is replacing its claim by the entry of
 * its supervisor can be missed once, when the new entry appears after the names were listed and the old one disappears
 * before it is read.
 */
function listOthersTwice(registry: SupervisorRegistry): readonly SupervisorEntry[] {
  const others = listOtherDaemons(registry);
  return others.length > 0 ? others : listOtherDaemons(registry);
}

function listOtherDaemons(registry: SupervisorRegistry): readonly SupervisorEntry[] {
  const alive = registry.list().filter(({ state }) => state === 'alive');
  return alive.map(({ entry }) => entry).filter(({ role, pid }) => role === 'daemon' && pid !== process.pid);
}
