import { customAlphabet } from 'nanoid';
import type { FinalView } from './process-view.ts';

/** Digits and lower case: 31 characters, without the look-alikes 0 o 1 l i. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';

/** Eight characters chosen at random: one of 850 billion. */
export const createRandomId: () => string = customAlphabet(ALPHABET, 8);

/** `tool_k3m9xq2p`: what it is, and a random id. */
export function createProcessId(kind: 'tool' | 'agent' | 'service'): string {
  return `${kind}_${createRandomId()}`;
}

export function createSupervisorId(): string {
  return `sup_${createRandomId()}`;
}

/** `<process>/<attempt>/ended`: the same completion always has the same id. */
export function toCompletionId({ id, attempt }: Pick<FinalView, 'id' | 'attempt'>): string {
  return `${id}/${attempt}/ended`;
}
