import { z } from 'zod';
import { endProcess, restartProcess as restart } from '../../actions/end-and-restart.ts';
import { toAnswer } from '../../actions/outcome.ts';
import { writeInput } from '../../actions/write-input.ts';
import { defineTool } from '../../define-tool.ts';
import { toSummary } from '../../process-summary.ts';
import { processId, secret } from '../fields.ts';

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

export const writeProcess = defineTool({
  name: 'write_process',
  title: 'Write to a process',
  description:
    'Writes to the input of a process that was started with stdin: true, such as an answer to a question that it asks, or a secret by its ' +
    'name. In a process with a terminal use send_keys.',
  permission: 'write',
  input: z.strictObject({
    process_id: processId,
    input: z.string().default('').describe('What to write.'),
    secret: secret.describe('The name of a secret to write instead: you never see its value.'),
    newline: z.boolean().default(true).describe('Adds a line break, unless there is one at the end.'),
    end_input: z.boolean().default(false).describe('Then tells it that no more input comes.'),
  }),
  check: ({ input, secret, end_input }) => {
    if (secret !== undefined) return input === '' ? null : 'give input or secret, not both';
    return input === '' && !end_input ? 'input is required, or end_input: true' : null;
  },
  execute: async ({ process_id, input, secret, newline, end_input }, context) => {
    const hint = 'Start it again with start_process and stdin: true to write to it.';
    const request = { id: process_id, input, secret, newline, endInput: end_input, hint };
    return toAnswer(await writeInput(request, context), ({ bytesWritten, message }) => ({
      process_id,
      ...(bytesWritten !== null && { bytes_written: bytesWritten }),
      message,
    }));
  },
});
