import { z } from 'zod';
import { toAnswer } from '../../actions/outcome.ts';
import { unwatchProcess as unwatch } from '../../actions/watches.ts';
import { defineTool } from '../../define-tool.ts';
import { processId } from '../fields.ts';

export const unwatchProcess = defineTool({
  name: 'unwatch_process',
  title: 'Stop watching a process',
  description: 'Ends the watch on a process. Also succeeds where there is none.',
  permission: 'status',
  input: z.strictObject({ process_id: processId }),
  execute: async ({ process_id }, context) =>
    toAnswer(unwatch({ id: process_id }, context), (message) => ({ process_id, message })),
});
