import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { timeMs } from './rounds.ts';

/** Milliseconds from the end of its input, at which `cat` exits, to the exit event of the raw Node call. */
export async function timeRawExit(): Promise<number> {
  const child = spawn('cat', [], { detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdout.resume();
  child.stderr.resume();
  await once(child, 'spawn');
  return timeMs(() => {
    child.stdin.end();
    return once(child, 'exit');
  });
}
