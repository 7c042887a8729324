import { constants } from 'node:os';

/** Those by which nothing ends, and those that nobody can catch. */
const harmless = ['SIGCHLD', 'SIGCONT', 'SIGURG', 'SIGWINCH', 'SIGINFO', 'SIGKILL', 'SIGSTOP'];

/**
 * What a launcher traps: whatever by default ends or halts a process, as it may be meant for its command, which knows what to do with it. By
 * number, since dash has not a name for each; of those that have none Linux keeps two to itself.
 */
export function toTrappedSignals(platform: NodeJS.Platform = process.platform): string {
  const named = Object.entries(constants.signals)
    .filter(([name]) => !harmless.includes(name))
    .map(([, number]) => number as number);
  const realTime = platform === 'linux' ? Array.from({ length: 31 }, (_, index) => 34 + index) : [];
  return [...new Set([...named, ...realTime])].sort((one, other) => one - other).join(' ');
}
