import type { ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Writable } from 'node:stream';
import type { SpawnRequest } from '../backend.ts';
import type { PipePool } from './pipe-pool.ts';

/** The stdin of a child, from before its start on. */
export interface InputPipe {
  /** What `spawn` takes for it. */
  readonly stdio: 'ignore' | 'pipe' | number;
  /**
   * Our end, to be asked for once, in the turn of `spawn`, whether it worked or not; an error is a `spawn` that threw.
   * `null` where there is no child, or it has no input. It is destroyed when the child exits.
   */
  open(child: ChildProcess | Error): Writable | null;
}

/**
 * A real pipe where there is one to be had, and else the pair of sockets that Node makes. bash takes a socket for a sign that
 * it was called over the network, and reads `~/.bashrc` where `SHLVL` is not set, as in a service or a container.
 */
export function createInputPipe(stdin: SpawnRequest['stdin'], pool: PipePool): InputPipe {
  if (stdin === 'end') return { stdio: 'ignore', open: () => null };
  const pipe = pool.take();
  if (pipe === null) return { stdio: 'pipe', open: ownOf };
  const { readFd, writeFd } = pipe;
  return {
    stdio: readFd,
    open: (child) => {
      // As long as we can read, a write does not break when the child has closed its end.
      closeSync(readFd);
      if (child instanceof Error || child.pid === undefined) {
        closeSync(writeFd);
        return null;
      }
      const input = new Socket({ fd: writeFd, readable: false, writable: true });
      // As Node does with its own: what the child has left behind may hold the other end for ever.
      child.once('exit', () => input.destroy());
      return input;
    },
  };
}

function ownOf(child: ChildProcess | Error): Writable | null {
  return child instanceof Error || child.pid === undefined ? null : child.stdin;
}
