import { z } from 'zod';
import { watchProcess as watch } from '../../actions/watches.ts';
import { defineTool } from '../../define-tool.ts';
import { processId } from '../fields.ts';

/** Watches come with a later version; this is the tool's final shape. */
export const watchProcess = defineTool({
  name: 'watch_process',
  title: 'Watch a process',
  description:
    'Not available yet. Asks for a notice when a process has stopped printing, or prints a line that matches. A second watch replaces the first.',
  permission: 'status',
  input: z.strictObject({
    process_id: processId,
    interval_seconds: z.number().positive().default(5).describe('Quiet for so long.'),
    pattern: z.string().min(1).optional().describe('A JavaScript regular expression, instead of silence.'),
  }),
  execute: async ({ process_id }, context) => {
    const instead = 'Wait for it with wait_for, which takes text, pattern and quiet_seconds.';
    return watch({ id: process_id, instead }, context);
  },
});
