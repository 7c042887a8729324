import type { FinalView } from './process-view.ts';

/** `<process>/<attempt>/ended`: the same completion always has the same id. */
export function toCompletionId({ id, attempt }: Pick<FinalView, 'id' | 'attempt'>): string {
  return `${id}/${attempt}/ended`;
}
