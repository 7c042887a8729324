/**
 * Name of a runtime that reports a version of Node but is another; `null` on Node itself. Two facts differ: a socket of theirs cannot read or
 * write a descriptor that this program has opened (Bun reads nothing from it, Deno throws), and so neither can a terminal.
 */
export function foreignRuntime(versions: NodeJS.ProcessVersions = process.versions): 'Bun' | 'Deno' | null {
  if (versions['bun'] !== undefined) return 'Bun';
  return versions['deno'] === undefined ? null : 'Deno';
}
