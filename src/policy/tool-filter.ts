import picomatch from 'picomatch';
import type { PolicyOptions } from '../config/policy-options.ts';

/** Returns a test whether an agent has a tool of that name. `files:*` and `files__*` are the same. */
export function createToolFilter({
  allow,
  deny = [],
}: NonNullable<PolicyOptions['tools']>): (name: string) => boolean {
  const isAllowed = allow === undefined ? () => true : toMatcher(allow);
  const isDenied = toMatcher(deny);
  return (name) => isAllowed(toPlainName(name)) && !isDenied(toPlainName(name));
}

function toMatcher(globs: readonly string[]): (name: string) => boolean {
  return globs.length === 0 ? () => false : picomatch(globs.map(toPlainName), { dot: true });
}

function toPlainName(name: string): string {
  return name.replaceAll(':', '__').replaceAll('/', '__');
}
