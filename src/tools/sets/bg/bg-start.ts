import { z } from 'zod';
import { quote } from '../../../config/quote.ts';
import { TroupeError } from '../../../config/troupe-error.ts';
import type { ProcessView } from '../../../process/process-view.ts';
import { toAnswer } from '../../actions/outcome.ts';
import { startInBackground } from '../../actions/start-in-background.ts';
import { describeWhatComes } from '../../actions/start-words.ts';
import { defineTool } from '../../define-tool.ts';
import { isEnded } from '../../process-summary.ts';
import type { ToolContext } from '../../tool.ts';
import { command, label, toStart } from '../fields.ts';
import { toStatusLine } from './bg-text.ts';

export const bgStart = defineTool({
  name: 'bg_start',
  title: 'Start in the background',
  description: 'Starts a command in the background and answers with its id.',
  permission: 'start',
  input: z.strictObject({
    command,
    timeout: z.number().positive().default(300_000).describe('Milliseconds; then it is ended.'),
    label,
  }),
  intend: (input) => ({ permission: 'start', start: toStart(input) }),
  execute: async ({ command, timeout, label }, context) => {
    const request = { command, label, maxRunMs: timeout, tool: 'bg_start' };
    try {
      const started = await startInBackground(request, context);
      return toAnswer(started, ({ view }) => toText({ view, command }, context));
    } catch (error) {
      const isFull = error instanceof TroupeError && error.code === 'background-limit';
      if (isFull) return { ok: false, error: `Too many concurrent processes. ${error.message}` };
      throw error;
    }
  },
});

function toText({ view, command }: { view: ProcessView; command: string }, context: ToolContext): string {
  const pid = 'pid' in view && view.pid !== null ? view.pid : '-';
  const started = `Process started: id=${view.id} pid=${pid} cmd=${quote(command)}`;
  return `${started}\n${isEnded(view) ? toStatusLine(view) : describeWhatComes(context)}`;
}
