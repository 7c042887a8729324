import { z } from 'zod';
import { toAnswer } from '../../actions/outcome.ts';
import { writeInput } from '../../actions/write-input.ts';
import { defineTool } from '../../define-tool.ts';
import { processId } from '../fields.ts';

export const writeProcess = defineTool({
  name: 'write_process',
  title: 'Write to a process',
  description: 'Writes to the input of a process that was started with stdin: true.',
  permission: 'write',
  input: z.strictObject({
    process_id: processId,
    input: z.string().default('').describe('What to write.'),
    newline: z.boolean().default(true).describe('Adds a line break, unless there is one at the end.'),
    end_input: z.boolean().default(false).describe('Then tells it that no more input comes.'),
  }),
  check: ({ input, end_input }) =>
    input === '' && !end_input ? 'input is required, or end_input: true' : null,
  execute: async ({ process_id, input, newline, end_input }, context) => {
    const hint = 'Start it again with start_process and stdin: true to write to it.';
    const request = { id: process_id, input, newline, endInput: end_input, hint };
    return toAnswer(await writeInput(request, context), ({ bytesWritten, message }) => ({
      process_id,
      bytes_written: bytesWritten,
      message,
    }));
  },
});
