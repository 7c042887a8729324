import { startChild } from '../../spawn/start-child.ts';

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
 * Lets the programs that filter the network end with this one, also if it is killed; the runtime ends them only in order. `sockets`: paths on
 * which they listen. Returns a function that ends the guard.
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
