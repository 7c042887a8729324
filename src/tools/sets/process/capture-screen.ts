import { z } from 'zod';
import { toAnswer } from '../../actions/outcome.ts';
import { refuseTerminal } from '../../actions/refuse-terminal.ts';
import { defineTool } from '../../define-tool.ts';
import { processId } from '../fields.ts';

/** Terminals come with a later version; this is the tool's final shape. */
export const captureScreen = defineTool({
  name: 'capture_screen',
  title: 'Look at the screen',
  description:
    'Not available yet. Shows the screen of a process that has a terminal, also its last one after the end.',
  permission: 'output',
  input: z.strictObject({
    process_id: processId,
    scrollback_lines: z.int().min(0).default(0).describe('How many lines that have scrolled out at the top.'),
  }),
  execute: async ({ process_id }, context) => {
    const instead = 'Terminals are not available yet. Read what it printed with get_process_output.';
    return toAnswer(refuseTerminal({ id: process_id, instead }, context), () => null);
  },
});
