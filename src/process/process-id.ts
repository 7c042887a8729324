import { customAlphabet } from 'nanoid';

/** Lower case without look-alikes: no 0 o 1 l i, and no vowels beyond those that spell nothing. */
const ALPHABET = '23456789abcdefghjkmnpqrstuvwxyz';

const random = customAlphabet(ALPHABET, 8);

/** `tool_k3m9xq2p`: what it is, and eight characters that are never given twice. */
export function createProcessId(kind: 'tool' | 'agent' | 'service'): string {
  return `${kind}_${random()}`;
}

export function createSupervisorId(): string {
  return `sup_${random()}`;
}
