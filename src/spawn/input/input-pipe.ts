import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { SpawnRequest } from '../backend.ts';
import type { PipePool } from './pipe-pool.ts';

/** Child as far as its input is concerned. */
interface InputChild {
  readonly pid?: number | undefined;
  readonly stdin: Writable | null;
  once(event: 'exit', listener: () => void): unknown;
}

/** Stdin of a child, created before its start. */
export interface InputPipe {
  /** Value for the stdio option of `spawn`. */
  readonly stdio: 'ignore' | 'pipe' | number;
  /**
   * Returns our end. Must be called once, after `spawn`, whether it worked or not; an error is a `spawn` that threw.
   * `null` without a child or input. The end is destroyed when the child exits.
   */
  open(child: InputChild | Error): Writable | null;
}

/**
 * Creates a real pipe where possible, and otherwise the pair of sockets that Node makes. bash takes a socket for a network
 * connection and reads `~/.bashrc` where `SHLVL` is unset, as in a service or a container.
 */
export function createInputPipe(stdin: SpawnRequest['stdin'], pool: Pick<PipePool, 'take'>): InputPipe {
  if (stdin === 'end') return { stdio: 'ignore', open: () => null };
  const pipe = pool.take();
  if (pipe === null) return { stdio: 'pipe', open: ownOf };
  const { readFd, writeFd } = pipe;
  return {
    stdio: readFd,
    open: (child) => {
      // While we hold the reading end, a write does not fail after the child has closed its own.
      closeSync(readFd);
      if (child instanceof Error || child.pid === undefined) {
        closeSync(writeFd);
        return null;
      }
      const input = new Socket({ fd: writeFd, readable: false, writable: true });
      // As Node does with its own pipes: leftovers of the child may hold the other end for ever.
      child.once('exit', () => input.destroy());
      return input;
    },
  };
}

function ownOf(child: InputChild | Error): Writable | null {
  return child instanceof Error || child.pid === undefined ? null : child.stdin;
}
