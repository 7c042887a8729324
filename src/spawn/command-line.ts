import type { SpawnRequest, Work } from './backend.ts';

/** Returns the program to start with its arguments. @throws for a function, which has none. */
export function toCommand(
  work: Work,
  backend: 'pipe' | 'file' | 'pty' | 'tmux',
): readonly [file: string, ...args: readonly string[]] {
  if (work.type === 'argv') return [work.file, ...work.args];
  if (work.type === 'shell') return [work.shell, '-c', work.script];
  throw new Error(`the ${backend} backend runs commands, not functions`);
}

/** Returns the error of a start with a NUL byte in one of its texts, which would silently be cut off there. */
export function findNulByte({ work, env }: Pick<SpawnRequest, 'work' | 'env'>): Error | null {
  const texts = [...toTexts(work), ...Object.entries(env).flat()];
  return texts.some((text) => text.includes('\0'))
    ? new Error('an argument or variable contains a NUL byte')
    : null;
}

function toTexts(work: SpawnRequest['work']): readonly string[] {
  if (work.type === 'argv') return [work.file, ...work.args];
  return work.type === 'shell' ? [work.shell, work.script] : [];
}

/** Limits of execve(2): one string has 32 pages, and all of them a quarter of the stack, usually 8 MiB; macOS has 1 MiB for all. */
const linuxLimits = { oneBytes: 128 * 1024, allBytes: 2 * 1024 * 1024 };
const otherLimits = { oneBytes: 1024 * 1024, allBytes: 1024 * 1024 };
const pointerBytes = 8;

/** Returns the error that execve(2) would give. For backends that start another program first, which would hide it. */
export function findLongArgument(
  { work, env }: Pick<SpawnRequest, 'work' | 'env'>,
  {
    besideBytes = 0,
    platform = process.platform,
  }: {
    /** Bytes passed in addition to the command and its environment. */
    readonly besideBytes?: number;
    readonly platform?: NodeJS.Platform;
  } = {},
): NodeJS.ErrnoException | null {
  const words = toWords(work);
  const texts = [...words, ...Object.entries(env).map(([name, value]) => `${name}=${value}`)];
  const sizes = texts.map((text) => Buffer.byteLength(text) + 1);
  const sumBytes = sizes.reduce((sum, bytes) => sum + bytes + pointerBytes, besideBytes);
  const { oneBytes, allBytes } = platform === 'linux' ? linuxLimits : otherLimits;
  if (sumBytes <= allBytes && sizes.every((bytes) => bytes <= oneBytes)) return null;
  return Object.assign(new Error(`spawn ${words[0]} E2BIG`), { code: 'E2BIG' });
}

function toWords(work: SpawnRequest['work']): readonly string[] {
  if (work.type === 'argv') return [work.file, ...work.args];
  return work.type === 'shell' ? [work.shell, '-c', work.script] : [];
}
