import type { SpawnRequest } from '../backend.ts';

/** execve(2): one string has 32 pages, and all of them a quarter of the stack, which usually is 8 MiB; macOS has 1 MiB for all. */
const limits =
  process.platform === 'linux' ? { one: 128 * 1024, all: 2 ** 21 } : { one: 2 ** 20, all: 2 ** 20 };
const pointerBytes = 8;
/** The shell that becomes the command, and what tmux adds. */
const ownBytes = 8 * 1024;

/** The error that the system would give: only the shell in the terminal would hear it. */
export function findLongArgument({ work, env, cwd }: SpawnRequest): NodeJS.ErrnoException | null {
  const words = work.type === 'argv' ? [work.file, ...work.args] : work.type === 'shell' ? [work.script] : [];
  const texts = [...words, cwd, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  const sizes = texts.map((text) => Buffer.byteLength(text) + 1);
  const all = sizes.reduce((sum, bytes) => sum + bytes + pointerBytes, ownBytes);
  if (all <= limits.all && sizes.every((bytes) => bytes <= limits.one)) return null;
  return Object.assign(new Error(`spawn ${words[0]} E2BIG`), { code: 'E2BIG' });
}
