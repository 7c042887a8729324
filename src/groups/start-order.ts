import { nearest } from '../config/nearest.ts';
import { TroupeError } from '../config/troupe-error.ts';

/** Names that each process waits for, in the order given. */
type Dependencies = ReadonlyMap<string, readonly string[]>;

/**
 * Orders processes so that each comes after its dependencies, and otherwise as given.
 *
 * @throws TroupeError `invalid-option`, naming an unknown dependency or a cycle.
 */
export function startOrder(dependencies: Dependencies): readonly string[] {
  refuseUnknown(dependencies);
  const order: string[] = [];
  while (order.length < dependencies.size) {
    const next = findStartable(dependencies, order);
    if (next === null) throw refuseCycle(dependencies, order);
    order.push(next);
  }
  return order;
}

function findStartable(dependencies: Dependencies, placed: readonly string[]): string | null {
  for (const [name, needed] of dependencies) {
    if (!placed.includes(name) && needed.every((each) => placed.includes(each))) return name;
  }
  return null;
}

function refuseUnknown(dependencies: Dependencies): void {
  for (const [name, needed] of dependencies) {
    const unknown = needed.find((each) => !dependencies.has(each));
    if (unknown === undefined) continue;
    const names = [...dependencies.keys()];
    const meant = nearest(
      unknown,
      names.filter((each) => each !== name),
    );
    const hint = meant === null ? `Known processes: ${names.join(', ')}.` : `Did you mean "${meant}"?`;
    throw new TroupeError({
      code: 'invalid-option',
      message: `startGroup: "processes.${name}.dependsOn" names "${unknown}"; there is no such process. ${hint}`,
    });
  }
}

/** Finds a cycle: a process that cannot be placed depends on another one that cannot be placed either. */
function refuseCycle(dependencies: Dependencies, placed: readonly string[]): TroupeError {
  const isStuck = (name: string) => !placed.includes(name);
  const path: string[] = [];
  let name = [...dependencies.keys()].find(isStuck);
  while (name !== undefined && !path.includes(name)) {
    path.push(name);
    name = dependencies.get(name)?.find(isStuck);
  }
  const cycle = [...path.slice(path.indexOf(name ?? '')), name].join(' → ');
  return new TroupeError({
    code: 'invalid-option',
    message: `startGroup: "dependsOn" leads back to where it began: ${cycle}. One of them must not wait for the next.`,
  });
}
