import { z } from 'zod';
import { captureScreen as capture } from '../../actions/capture-screen.ts';
import { toAnswer } from '../../actions/outcome.ts';
import { defineTool } from '../../define-tool.ts';
import { toScreenData } from '../../screen-data.ts';
import { processId } from '../fields.ts';
import { terminalWords } from './terminal-words.ts';

export const captureScreen = defineTool({
  name: 'capture_screen',
  title: 'Look at the screen',
  description:
    'Shows what a process that was started with interactive: true has on its screen now, or had at its end, with the cursor; rows and ' +
    'columns count from 1. What stands out by its background, as the chosen entry of a menu, is listed in highlighted. Not needed after send_keys, which shows the screen by itself; to wait for a change use watch_process or ' +
    'wait_for. For plain output use get_process_output.',
  permission: 'output',
  input: z.strictObject({
    process_id: processId,
    scrollback_lines: z
      .int()
      .min(0)
      .max(100_000)
      .default(0)
      .describe('How many lines that have scrolled out at the top.'),
  }),
  execute: async ({ process_id, scrollback_lines }, context) => {
    const request = { id: process_id, scrollbackLines: scrollback_lines, words: terminalWords };
    return toAnswer(await capture(request, context), toScreenData);
  },
});
