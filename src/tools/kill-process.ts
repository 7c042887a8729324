import { z } from 'zod';
import { findProcess } from './find-process.ts';
import { toRevealed } from './process-summary.ts';
import { defineTool } from './tool.ts';

export const killProcess = defineTool({
  name: 'kill_process',
  description:
    'Ends a process with everything it started, and answers when all of it is gone. Also ends what a process that has ended left behind.',
  input: z.strictObject({ process_id: z.string().describe('The id, such as tool_k3m9xq2p.') }),
  execute: async ({ process_id }, context) => {
    const found = findProcess(process_id, context);
    if ('ok' in found) return found;
    const { message } = await found.kill({ by: 'agent' });
    const view = found.view();
    return { ok: true, data: { process_id, status: view.status, message }, reveals: toRevealed(view) };
  },
});
