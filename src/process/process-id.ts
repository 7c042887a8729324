import { customAlphabet } from 'nanoid';
import type { FinalView } from './process-view.ts';

/** Digits and lower-case letters without the look-alikes 0 o 1 l i. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';

/** Returns eight random characters, one of 850 billion combinations. */
export const createRandomId: () => string = customAlphabet(ALPHABET, 8);

export function createSupervisorId(): string {
  return `sup_${createRandomId()}`;
}

/** Returns `<process>/<attempt>/ended`: the same completion always has the same id. */
export function toCompletionId({ id, attempt }: Pick<FinalView, 'id' | 'attempt'>): string {
  return `${id}/${attempt}/ended`;
}
