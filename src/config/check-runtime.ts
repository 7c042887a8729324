import { TroupeError } from './troupe-error.ts';

/**
 * Refuses runtimes that claim to be Node: Bun loses all output of a command, Deno every command.
 *
 * @throws TroupeError `unsupported-platform`
 */
export function checkRuntime(versions: NodeJS.ProcessVersions = process.versions): void {
  const found = [
    ['Bun', versions['bun']],
    ['Deno', versions['deno']],
  ].find(([, version]) => version !== undefined);
  if (found === undefined) return;
  const message = `troupe needs Node 22.12 or newer, but this is ${found.join(' ')}, which does not run its commands as Node does. Start your program with node.`;
  throw new TroupeError({ code: 'unsupported-platform', message });
}
