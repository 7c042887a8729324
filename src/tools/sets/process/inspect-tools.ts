import { z } from 'zod';
import { checkProcess as check, listProcesses as list } from '../../actions/inspect-processes.ts';
import { toAnswer } from '../../actions/outcome.ts';
import { readProcessOutput } from '../../actions/read-output.ts';
import { outputData, toOutputData } from '../../answer-data.ts';
import { defineTool } from '../../define-tool.ts';
import { toSummary } from '../../process-summary.ts';
import { processId } from '../fields.ts';

export const listProcesses = defineTool({
  name: 'list_processes',
  title: 'List processes',
  description: 'Lists the live processes that you started.',
  permission: 'list',
  input: z.strictObject({
    include_completed: z.boolean().default(false).describe('Include processes that have ended.'),
  }),
  execute: async ({ include_completed }, context) =>
    toAnswer(list({ includeEnded: include_completed }, context), (views) => ({
      processes: views.map(toSummary),
    })),
});

export const checkProcess = defineTool({
  name: 'check_process',
  title: 'Check a process',
  description: 'Shows the status of a process, its run time, and how it ended.',
  permission: 'status',
  input: z.strictObject({ process_id: processId }),
  execute: async ({ process_id }, context) => toAnswer(await check({ id: process_id }, context), toSummary),
});

export const getProcessOutput = defineTool({
  name: 'get_process_output',
  title: 'Read output',
  description:
    'Reads the output of a process, running or ended: the last lines, the output since your last read, or the ' +
    'lines that match an expression.',
  permission: 'output',
  input: z.strictObject({
    process_id: processId,
    tail: z
      .int()
      .min(1)
      .optional()
      .describe('Number of lines from the end. Default 100, or all new lines with since_last_read.'),
    since_last_read: z.boolean().default(false).describe('Only output since your last read of this process.'),
    stream: z.enum(['both', 'stdout', 'stderr']).default('both').describe('Which output.'),
    grep: z.string().min(1).optional().describe('Only lines that match this JavaScript regular expression.'),
    ignore_case: z.boolean().default(false).describe('For grep.'),
    context: z.int().min(0).max(50).default(0).describe('For grep: lines around each match.'),
    offset: z.int().min(0).optional().describe('Number of lines to skip at the beginning.'),
    limit: z.int().min(1).optional().describe('Maximum number of lines, from the beginning.'),
  }),
  output: outputData,
  execute: async ({ process_id, since_last_read, ignore_case, ...options }, context) => {
    const request = { ...options, id: process_id, sinceLastRead: since_last_read, ignoreCase: ignore_case };
    return toAnswer(readProcessOutput(request, context), toOutputData);
  },
});
