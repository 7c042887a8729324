import { z } from 'zod';
import { listProcesses as list } from '../../actions/list-processes.ts';
import { toAnswer } from '../../actions/outcome.ts';
import { defineTool } from '../../define-tool.ts';
import { toSummary } from '../../process-summary.ts';

export const listProcesses = defineTool({
  name: 'list_processes',
  title: 'List processes',
  description: 'Lists the processes you started that are still alive.',
  permission: 'list',
  input: z.strictObject({
    include_completed: z.boolean().default(false).describe('Also those that have ended.'),
  }),
  execute: async ({ include_completed }, context) =>
    toAnswer(list({ includeEnded: include_completed }, context), (views) => ({
      processes: views.map(toSummary),
    })),
});
