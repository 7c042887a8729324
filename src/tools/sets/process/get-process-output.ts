import { z } from 'zod';
import { toAnswer } from '../../actions/outcome.ts';
import { readProcessOutput } from '../../actions/read-output.ts';
import { defineTool } from '../../define-tool.ts';
import { outputData, toOutputData } from '../../output-data.ts';
import { processId } from '../fields.ts';

export const getProcessOutput = defineTool({
  name: 'get_process_output',
  title: 'Read output',
  description:
    'Reads what a process printed, while it runs and after its end: the last lines, or what is new since your last read, or the ' +
    'lines that match an expression.',
  permission: 'output',
  input: z.strictObject({
    process_id: processId,
    tail: z
      .int()
      .min(1)
      .optional()
      .describe('How many lines from the end. Default 100, or all that is new with since_last_read.'),
    since_last_read: z
      .boolean()
      .default(false)
      .describe('Only what came since you last read of this process.'),
    stream: z.enum(['both', 'stdout', 'stderr']).default('both').describe('Which output.'),
    grep: z.string().min(1).optional().describe('Only lines that match this JavaScript regular expression.'),
    ignore_case: z.boolean().default(false).describe('For grep.'),
    context: z.int().min(0).max(50).default(0).describe('For grep: lines around each match.'),
    offset: z.int().min(0).optional().describe('Lines to leave out at the beginning.'),
    limit: z.int().min(1).optional().describe('How many lines at most, from the beginning.'),
  }),
  output: outputData,
  execute: async ({ process_id, since_last_read, ignore_case, ...options }, context) => {
    const request = { ...options, id: process_id, sinceLastRead: since_last_read, ignoreCase: ignore_case };
    return toAnswer(readProcessOutput(request, context), toOutputData);
  },
});
