import { z } from 'zod';
import { endProcess } from '../../actions/end-process.ts';
import { toAnswer } from '../../actions/outcome.ts';
import { defineTool } from '../../define-tool.ts';
import { processId } from '../fields.ts';

export const killProcess = defineTool({
  name: 'kill_process',
  title: 'End a process',
  description:
    'Ends a process with everything it started, and answers when all of it is gone. Also ends what a process that has ended left behind.',
  permission: 'kill',
  input: z.strictObject({ process_id: processId }),
  execute: async ({ process_id }, context) => {
    const outcome = await endProcess({ id: process_id }, context);
    return toAnswer(outcome, ({ view, message }) => ({ process_id: view.id, status: view.status, message }));
  },
});
