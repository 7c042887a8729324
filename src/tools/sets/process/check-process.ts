import { z } from 'zod';
import { checkProcess as check } from '../../actions/check-process.ts';
import { toAnswer } from '../../actions/outcome.ts';
import { defineTool } from '../../define-tool.ts';
import { toSummary } from '../../process-summary.ts';
import { processId } from '../fields.ts';

export const checkProcess = defineTool({
  name: 'check_process',
  title: 'Check a process',
  description: 'Says how a process is: its status, for how long it runs or ran, and how it ended.',
  permission: 'status',
  input: z.strictObject({ process_id: processId }),
  execute: async ({ process_id }, context) => toAnswer(await check({ id: process_id }, context), toSummary),
});
