import type { PolicySettings } from '../../config/policy-options.ts';
import { isInside } from '../workspace/real-path.ts';
import type { SandboxPlan } from './open-sandbox.ts';

/** Combines the plans of all policies; `null` where none has a sandbox. */
export function toSandboxPlan(
  layers: readonly PolicySettings[],
): (SandboxPlan & { readonly isRequired: boolean }) | null {
  const sandboxed = layers.filter(({ sandbox }) => sandbox !== 'off');
  if (sandboxed.length === 0) return null;
  const roots = sandboxed.map(({ workspace = '', extraPaths }): readonly string[] => [
    workspace,
    ...extraPaths,
  ]);
  return {
    writable: roots.reduce(meetPaths),
    readable: sandboxed.map(({ sandboxRead }): readonly string[] => sandboxRead).reduce(meetPaths),
    network: sandboxed.map(({ sandboxNetwork }) => sandboxNetwork).reduce(meetNetworks),
    isRequired: sandboxed.some(({ sandbox }) => sandbox === 'require'),
  };
}

/** Intersects two lists of folders: of two nested folders the inner one remains. */
function meetPaths(some: readonly string[], others: readonly string[]): readonly string[] {
  const inner = some.flatMap((one) => [
    ...others.filter((other) => isInside(other, one)),
    ...(others.some((other) => isInside(one, other)) ? [one] : []),
  ]);
  return [...new Set(inner)];
}

type Network = SandboxPlan['network'];

function meetNetworks(one: Network, other: Network): Network {
  if (one === 'open') return other;
  return other === 'open' ? one : one.filter((domain) => other.includes(domain));
}
