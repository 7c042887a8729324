import { customAlphabet } from 'nanoid';

/** As the ids of processes: without look-alikes. */
const random = customAlphabet('23456789abcdefghjkmnpqrstuvwxyz', 8);

export function createConversationId(): string {
  return `conv_${random()}`;
}
