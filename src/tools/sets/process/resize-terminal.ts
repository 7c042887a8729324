import { z } from 'zod';
import { terminalSize } from '../../../config/process-spec.ts';
import { toAnswer } from '../../actions/outcome.ts';
import { resizeTerminal as resize } from '../../actions/resize-terminal.ts';
import { defineTool } from '../../define-tool.ts';
import { processId } from '../fields.ts';
import { terminalWords } from './terminal-words.ts';

const { columns, rows } = terminalSize.shape;

export const resizeTerminal = defineTool({
  name: 'resize_terminal',
  title: 'Resize a terminal',
  description:
    'Gives the terminal of a process another size, for example to see long lines whole; the program is told. It has 80 columns and 24 ' +
    'rows at first.',
  permission: 'keys',
  input: z.strictObject({
    process_id: processId,
    columns: columns.removeDefault().describe('How many characters in a row, 2 to 1000.'),
    rows: rows.removeDefault().describe('How many rows, 1 to 1000.'),
  }),
  execute: async ({ process_id, columns, rows }, context) => {
    const outcome = await resize({ id: process_id, size: { columns, rows }, words: terminalWords }, context);
    return toAnswer(outcome, (message) => ({ process_id, columns, rows, message }));
  },
});
