import { startChild } from '../../spawn/start-child.ts';

/**
 * Kills the programs that listen on the sockets, and removes the sockets, when stdin ends without a line: this program has died. The names of the
 * sockets are unique.
 */
const SCRIPT = `read -r _ && exit
for socket in "$@"; do
  for process in /proc/[0-9]*; do
    tr '\\0' ' ' < "$process/cmdline" | grep -qF "UNIX-LISTEN:$socket," && kill "\${process#/proc/}"
  done
  rm -f "$socket"
done`;

/**
 * Starts a guard that kills the programs of the network filter when this program is killed. The runtime ends them only in its `reset`. `sockets`:
 * paths on which they listen. Returns a function that ends the guard.
 */
export function guardFilter(sockets: readonly string[]): () => void {
  const guard = startChild('/bin/sh', ['-c', SCRIPT, 'troupe-sandbox-guard', ...sockets], {
    cwd: '/',
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  for (const stream of [guard, guard.stdin]) stream?.on('error', () => {});
  guard.unref();
  // The pipe to a child is a socket, which would keep this program alive.
  (guard.stdin as { unref?(): void } | null)?.unref?.();
  return () => guard.stdin?.end('in order\n');
}
