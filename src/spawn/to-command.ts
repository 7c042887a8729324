import type { Work } from './backend.ts';

/** What is started for it. @throws for a function, which is none. */
export function toCommand(
  work: Work,
  backend: 'file' | 'pty' | 'tmux',
): readonly [file: string, ...args: readonly string[]] {
  if (work.type === 'argv') return [work.file, ...work.args];
  if (work.type === 'shell') return [work.shell, '-c', work.script];
  throw new Error(`the ${backend} backend runs commands, not functions`);
}
