import { createRandomId } from '../process/process-id.ts';

export function createConversationId(): string {
  return `conv_${createRandomId()}`;
}
