import type { CliIo } from '../cli-io.ts';

/** Whether a person can see and type here. */
export function isTerminal({ stdin, stdout }: Pick<CliIo, 'stdin' | 'stdout'>): boolean {
  return stdin.isTTY === true && stdout.isTTY === true;
}
