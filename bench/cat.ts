import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { firstValueFrom } from 'rxjs';
import type { CommandSpec, ProcessHandle, Supervisor } from '../src/index.ts';
import { timeMs } from './rounds.ts';

/** Milliseconds from the end of its input, at which `cat` exits, to the exit event of the raw Node call. */
export async function timeRawExit(): Promise<number> {
  const child = spawn('cat', [], { detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  child.stderr.resume();
  // Its answer shows that it runs; at `spawn` it may not have been executed yet.
  child.stdin.write('up\n');
  await once(child.stdout, 'data');
  child.stdout.resume();
  return timeMs(() => {
    child.stdin.end();
    return once(child, 'exit');
  });
}

/** Starts `cat` in a supervisor and waits until it has answered. */
export async function startCat(
  supervisor: Supervisor,
  options: Pick<CommandSpec, 'background' | 'owner'> = {},
): Promise<ProcessHandle> {
  const handle = supervisor.start({ command: ['cat'], stdin: 'pipe', ...options });
  const answered = firstValueFrom(handle.lines$);
  await handle.write('up\n');
  await answered;
  return handle;
}
