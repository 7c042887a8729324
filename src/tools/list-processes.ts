import { z } from 'zod';
import { isEnded, toRevealed, toSummary } from './process-summary.ts';
import { defineTool } from './tool.ts';

export const listProcesses = defineTool({
  name: 'list_processes',
  description:
    'Lists the processes you started that are still alive. There is no need to poll: a notice comes when one ends.',
  input: z.strictObject({
    include_completed: z.boolean().default(false).describe('Also those that have ended.'),
  }),
  execute: async ({ include_completed }, { supervisor, owner }) => {
    const views = supervisor.list({ owner }).filter((view) => include_completed || !isEnded(view));
    return { ok: true, data: { processes: views.map(toSummary) }, reveals: toRevealed(...views) };
  },
});
