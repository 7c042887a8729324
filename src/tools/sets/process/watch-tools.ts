import { z } from 'zod';
import { toAnswer } from '../../actions/outcome.ts';
import { unwatchProcess as unwatch, watchProcess as watch } from '../../actions/watches.ts';
import { defineTool } from '../../define-tool.ts';
import { onRequest } from '../../notice-words.ts';
import { intervalSeconds, processId } from '../fields.ts';

export const watchProcess = defineTool({
  name: 'watch_process',
  title: 'Watch a process',
  description: (notices) =>
    'Requests a notice while you do something else: each time a process goes quiet (its screen or output has not changed for the ' +
    `interval), or when it prints matching lines. ${onRequest(notices)} ` +
    'A second watch replaces the first; a watch ends ' +
    'with its process. To wait instead, use wait_for. Not for the end of a process: the answer to its start says how you learn of it.',
  permission: 'status',
  input: z.strictObject({
    process_id: processId,
    interval_seconds: intervalSeconds,
    pattern: z
      .string()
      .min(1)
      .optional()
      .describe('JavaScript regular expression to match instead of silence.'),
  }),
  execute: async ({ process_id, interval_seconds, pattern }, context) => {
    const outcome = watch({ id: process_id, quietMs: interval_seconds * 1_000, pattern }, context);
    return toAnswer(outcome, (message) => ({ process_id, message }));
  },
});

export const unwatchProcess = defineTool({
  name: 'unwatch_process',
  title: 'Stop watching a process',
  description: 'Ends the watch on a process. Also succeeds where there is none.',
  permission: 'status',
  input: z.strictObject({ process_id: processId }),
  execute: async ({ process_id }, context) =>
    toAnswer(unwatch({ id: process_id }, context), (message) => ({ process_id, message })),
});
