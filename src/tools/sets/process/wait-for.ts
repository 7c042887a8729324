import { z } from 'zod';
import { formatDuration } from '../../../config/duration.ts';
import { describeEnd } from '../../../process/end-text.ts';
import { toAnswer } from '../../actions/outcome.ts';
import { type Waited, waitFor as wait } from '../../actions/wait-for.ts';
import { defineTool } from '../../define-tool.ts';
import { isEnded, toSummary } from '../../process-summary.ts';
import { processId } from '../fields.ts';

export const waitFor = defineTool({
  name: 'wait_for',
  title: 'Wait for a process',
  description:
    'Waits until something is true of a process: it has ended (which is what is waited for when nothing else is said), prints a text or ' +
    'a line that matches, is ready, or is quiet. One call instead of many checks. It changes nothing: when the time is over, the process goes on.',
  permission: 'output',
  input: z.strictObject({
    process_id: processId,
    exit: z.boolean().default(false).describe('It has ended.'),
    text: z.string().min(1).optional().describe('Its output contains this text.'),
    pattern: z
      .string()
      .min(1)
      .optional()
      .describe('A line of its output matches this JavaScript regular expression.'),
    ready: z.boolean().default(false).describe('It is ready, by the condition that start_process was given.'),
    quiet_seconds: z.number().positive().optional().describe('It has printed nothing for so long.'),
    mode: z.enum(['any', 'all']).default('any').describe('Whether one of these is enough.'),
    from: z
      .enum(['unread', 'now', 'start'])
      .default('unread')
      .describe(
        'Where text and pattern are looked for: in what you have not read yet, in what comes from now on, or in everything.',
      ),
    timeout_seconds: z.number().positive().default(120).describe('How long to wait at most.'),
  }),
  intend: () => ({ permission: 'output', waits: true }),
  execute: async (input, context) => {
    const { process_id, exit, text, pattern, ready, quiet_seconds, mode, from, timeout_seconds } = input;
    const quietMs = quiet_seconds === undefined ? undefined : quiet_seconds * 1_000;
    const outcome = await wait(
      { id: process_id, exit, text, pattern, ready, quietMs, mode, from, timeoutMs: timeout_seconds * 1_000 },
      context,
    );
    return toAnswer(outcome, toData);
  },
});

function toData(waited: Waited) {
  const { view, end, met, missing, waitedMs, matchedLine, output } = waited;
  return {
    ...toSummary(view),
    result: end.type,
    met,
    missing,
    waited_seconds: Math.round(waitedMs / 100) / 10,
    ...(matchedLine !== null && { matched_line: matchedLine }),
    message: describe(waited),
    new_output: output,
  };
}

function describe({ view, end, met, missing, waitedMs }: Waited): string {
  switch (end.type) {
    case 'met':
      return `It came true: ${met.join(', ')}.`;
    case 'ended':
      return `Not ${missing.join(', ')}: the process ${isEnded(view) ? describeEnd(view.reason, view.exit) : 'has ended'}.`;
    case 'timeout':
      return `Not ${missing.join(', ')} within ${formatDuration(waitedMs)}. The process goes on.`;
    case 'interrupted':
      return 'Interrupted. The process goes on.';
    case 'impossible':
      return `It will not come true: ${end.why}.`;
  }
}
