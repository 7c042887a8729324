import { z } from 'zod';
import { findProcess } from './find-process.ts';
import { toRevealed } from './process-summary.ts';
import { defineTool } from './tool.ts';

export const getProcessOutput = defineTool({
  name: 'get_process_output',
  description: 'Reads the last lines that a process printed, standard output and standard error together.',
  input: z.strictObject({
    process_id: z.string().describe('The id, such as tool_k3m9xq2p.'),
    tail: z.int().min(1).default(100).describe('How many lines.'),
  }),
  execute: async ({ process_id, tail }, context) => {
    const found = findProcess(process_id, context);
    if ('ok' in found) return found;
    const view = found.view();
    const read = found.read({ tail }, 'agent');
    const data = {
      process_id,
      status: view.status,
      ...('exit' in view && { exit_code: view.exit?.code ?? null }),
      output: read.text,
    };
    return { ok: true, data, reveals: toRevealed(view) };
  },
});
