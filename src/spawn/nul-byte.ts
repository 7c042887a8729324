import type { SpawnRequest } from './backend.ts';

/** The error of a start that has a NUL in one of its texts: what comes after it would be cut off in silence. */
export function findNulByte({ work, env }: Pick<SpawnRequest, 'work' | 'env'>): Error | null {
  const texts = [...toTexts(work), ...Object.entries(env).flat()];
  return texts.some((text) => text.includes('\0')) ? new Error('a text in it contains a NUL byte') : null;
}

function toTexts(work: SpawnRequest['work']): readonly string[] {
  if (work.type === 'argv') return [work.file, ...work.args];
  return work.type === 'shell' ? [work.shell, work.script] : [];
}
