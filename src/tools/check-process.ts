import { z } from 'zod';
import { findProcess } from './find-process.ts';
import { toRevealed, toSummary } from './process-summary.ts';
import { defineTool } from './tool.ts';

export const checkProcess = defineTool({
  name: 'check_process',
  description: 'Says how a process is: its status, for how long it runs or ran, and how it ended.',
  input: z.strictObject({ process_id: z.string().describe('The id, such as tool_k3m9xq2p.') }),
  execute: async ({ process_id }, context) => {
    const found = findProcess(process_id, context);
    if ('ok' in found) return found;
    const view = found.view();
    return { ok: true, data: toSummary(view), reveals: toRevealed(view) };
  },
});
