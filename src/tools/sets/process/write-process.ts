import { z } from 'zod';
import { toAnswer } from '../../actions/outcome.ts';
import { writeInput } from '../../actions/write-input.ts';
import { defineTool } from '../../define-tool.ts';
import { processId, secret } from '../fields.ts';

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
