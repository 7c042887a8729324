import { z } from 'zod';
import { toAnswer } from '../../actions/outcome.ts';
import { refuseTerminal } from '../../actions/refuse-terminal.ts';
import { defineTool } from '../../define-tool.ts';
import { processId } from '../fields.ts';

/** Terminals come with a later version; this is the tool's final shape. */
export const sendKeys = defineTool({
  name: 'send_keys',
  title: 'Send keys',
  description: 'Not available yet. Presses keys in the terminal of a process.',
  permission: 'keys',
  input: z.strictObject({
    process_id: processId,
    text: z.string().optional().describe('Typed as it stands, before the keys.'),
    keys: z
      .array(z.string())
      .optional()
      .describe('Names of keys, pressed one after another: "Enter", "Escape", "Up", "C-c", "F5".'),
    press_enter: z.boolean().default(false).describe('Presses Enter at the end.'),
  }),
  execute: async ({ process_id }, context) => {
    const instead =
      'Terminals are not available yet. To answer a program that reads its input, start it with stdin: true and use write_process; ' +
      'to stop it, use kill_process.';
    return toAnswer(refuseTerminal({ id: process_id, instead }, context), () => null);
  },
});
