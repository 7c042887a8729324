import { z } from 'zod';
import { checkProcess } from '../../actions/check-process.ts';
import { listProcesses } from '../../actions/list-processes.ts';
import { toAnswer } from '../../actions/outcome.ts';
import { defineTool } from '../../define-tool.ts';
import { toStatusLine } from './bg-text.ts';

export const bgStatus = defineTool({
  name: 'bg_status',
  title: 'Status of background processes',
  description:
    'Says how a background process is, or all of them, those that have ended included: one line each.',
  permissions: ['status', 'list'],
  input: z.strictObject({ id: z.string().min(1).optional().describe('The id. Default: all.') }),
  intend: ({ id }) => ({ permission: id === undefined ? 'list' : 'status' }),
  execute: async ({ id }, context) =>
    id === undefined
      ? toAnswer(listProcesses({ includeEnded: true }, context), (views) =>
          views.length === 0 ? 'There are no background processes.' : views.map(toStatusLine).join('\n'),
        )
      : toAnswer(await checkProcess({ id }, context), toStatusLine),
});
