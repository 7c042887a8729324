import { sep } from 'node:path';
import type { PolicySettings } from '../../config/policy-options.ts';
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
    network: sandboxed.map(({ sandboxNetwork }) => sandboxNetwork).reduce(meetNetworks),
    isRequired: sandboxed.some(({ sandbox }) => sandbox === 'require'),
  };
}

/** Intersects two lists of folders: of two nested folders the inner one remains. */
function meetPaths(some: readonly string[], others: readonly string[]): readonly string[] {
  const inner = some.flatMap((one) => [
    ...others.filter((other) => isWithin(other, one)),
    ...(others.some((other) => isWithin(one, other)) ? [one] : []),
  ]);
  return [...new Set(inner)];
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

type Network = SandboxPlan['network'];

function meetNetworks(one: Network, other: Network): Network {
  if (one === 'open') return other;
  return other === 'open' ? one : one.filter((domain) => other.includes(domain));
}
