import { createRandomId } from '../process/process-id.ts';

const MAX_NAME = 32;

/** An owner that a person recognises in a list of processes by the client's name, and that no other session has. */
export function createOwner(clientName: string | null): string {
  const name = (clientName ?? '')
    .replaceAll(/[^\w.-]+/g, '-')
    .slice(0, MAX_NAME)
    .replaceAll(/^-+|-+$/g, '');
  return ['mcp', ...(name === '' ? [] : [name]), createRandomId()].join('-');
}
