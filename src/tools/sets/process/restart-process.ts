import { z } from 'zod';
import { toAnswer } from '../../actions/outcome.ts';
import { restartProcess as restart } from '../../actions/restart-process.ts';
import { defineTool } from '../../define-tool.ts';
import { toSummary } from '../../process-summary.ts';
import { processId } from '../fields.ts';

export const restartProcess = defineTool({
  name: 'restart_process',
  title: 'Restart a process',
  description:
    'Ends a process and starts its command again under the same id. Answers when it is up again, and ready.',
  permission: 'start',
  input: z.strictObject({ process_id: processId }),
  execute: async ({ process_id }, context) => {
    const outcome = await restart({ id: process_id }, context);
    return toAnswer(outcome, ({ view, message }) => ({ ...toSummary(view), message }));
  },
});
