import { z } from 'zod';

/** Fields that mean the same in every tool of every set. */
export const processId = z.string().min(1).describe('The id, such as tool_k3m9xq2p.');
export const command = z.string().min(1).describe('Text for the shell.');
export const cwd = z.string().min(1).optional().describe('Where to run it. Default: the workspace.');
export const label = z.string().min(1).optional().describe('A short name of your choice.');

/** What a policy has to know of a start. */
export function toStart(input: { readonly command: string; readonly cwd?: string | undefined }) {
  const { command, cwd } = input;
  return { command, ...(cwd !== undefined && { cwd }) };
}
