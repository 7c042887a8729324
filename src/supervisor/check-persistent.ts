import { TroupeError } from '../config/troupe-error.ts';
import type { ParsedSpec, PlanningGround } from './planning-ground.ts';

/** @throws TroupeError `invalid-option` where a process is to outlive this program that cannot. */
export function checkPersistent(spec: ParsedSpec, { paths, durableBackend }: PlanningGround): void {
  const why = findObstacle(spec, { isKept: paths !== null, isDurable: durableBackend !== null });
  if (why === null) return;
  throw new TroupeError({ code: 'invalid-option', message: `start: "lifetime" is "persistent"; ${why}` });
}

function findObstacle(
  spec: ParsedSpec,
  { isKept, isDurable }: { isKept: boolean; isDurable: boolean },
): string | null {
  if ('run' in spec)
    return 'a function lives in this program and ends with it. Run a command, or use "session".';
  if (!isKept) {
    return 'nothing is written down, because the supervisor\'s "stateDirectory" is false, so nobody could take it over. Name a directory.';
  }
  if (!isDurable) return 'this supervisor\'s own backend cannot run what outlives it. Use "session".';
  if (!spec.logFile) return '"logFile" is false; its output can only go to a file. Leave "logFile" out.';
  if (Object.keys(spec.secrets).length > 0) {
    return 'it writes its log itself, where "secrets" cannot be replaced. Hand them over as "env" if its log may show them, or use "session".';
  }
  return null;
}
