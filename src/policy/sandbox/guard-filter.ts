import { spawn } from 'node:child_process';
import type { SandboxRuntime } from './sandbox-runtime.ts';

/**
 * Ends what listens on the sockets and removes them, once its input ends without a word: that is when this program is gone. The sockets
 * have names that nobody else uses.
 */
const SCRIPT = `read -r _ && exit
for socket in "$@"; do
  for process in /proc/[0-9]*; do
    tr '\\0' ' ' < "$process/cmdline" | grep -qF "UNIX-LISTEN:$socket," && kill "\${process#/proc/}"
  done
  rm -f "$socket"
done`;

/**
 * Lets the programs that filter the network end with this one, also if it is killed; the runtime ends them only in order. Returns a function that
 * ends the guard. Only on Linux are there such programs.
 */
export function guardFilter(runtime: SandboxRuntime): () => void {
  const sockets = [runtime.getLinuxHttpSocketPath(), runtime.getLinuxSocksSocketPath()];
  const known = [...new Set(sockets.filter((path) => path !== undefined))];
  if (process.platform !== 'linux' || known.length === 0) return () => {};
  const guard = spawn('/bin/sh', ['-c', SCRIPT, 'troupe-sandbox-guard', ...known], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  for (const stream of [guard, guard.stdin]) stream.on('error', () => {});
  guard.unref();
  // A pipe of a child is a socket, which would keep this program alive.
  (guard.stdin as { unref?(): void }).unref?.();
  return () => guard.stdin.end('in order\n');
}
