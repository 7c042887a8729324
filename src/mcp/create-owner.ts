import { createRandomId } from '../process/process-id.ts';

const MAX_NAME = 32;

/** Returns an owner that no other session has, with the client's name for people. */
export function createOwner(clientName: string | null): string {
  const name = (clientName ?? '')
    .replaceAll(/[^\w.-]+/g, '-')
    .slice(0, MAX_NAME)
    .replaceAll(/^-+|-+$/g, '');
  return ['mcp', ...(name === '' ? [] : [name]), createRandomId()].join('-');
}
