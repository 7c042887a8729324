import { z } from 'zod';
import { toAnswer } from '../../actions/outcome.ts';
import { sendKeys as send } from '../../actions/send-keys.ts';
import { defineTool } from '../../define-tool.ts';
import { toSentData } from '../../screen-data.ts';
import { findKeysProblem, pressEnter, processId, secret, thenCapture, toTypedKeys } from '../fields.ts';
import { terminalWords } from './terminal-words.ts';

export const sendKeys = defineTool({
  name: 'send_keys',
  title: 'Send keys',
  description:
    'Types in the terminal of a process that was started with interactive: true, and shows the screen once it has settled. For ' +
    'programs that take the whole screen (vim, less, top), menus, shells and prompts. Text and names of keys are apart: to leave vim ' +
    'send keys ["Escape"] and text ":q!" in two calls, the second with press_enter.',
  permission: 'keys',
  input: z.strictObject({
    process_id: processId,
    text: z
      .string()
      .optional()
      .describe(
        'Typed first, as it stands. More than one line goes in as one paste: it is not run line by line, and no command of an editor.',
      ),
    paste: z.boolean().default(false).describe('The text goes in as a paste, also where it is one line.'),
    keys: z
      .array(z.string())
      .optional()
      .describe(
        'Names of keys, pressed after the text: "Enter", "Escape", "Up", "C-c", "M-x", "S-Tab", "F5".',
      ),
    press_enter: pressEnter,
    secret,
    then_capture: thenCapture,
  }),
  check: ({ secret, text, keys, press_enter }) =>
    findKeysProblem({ secret, text, hasKeys: keys !== undefined && keys.length > 0, press_enter }),
  execute: async ({ process_id, then_capture, keys, ...typed }, context) => {
    const request = {
      id: process_id,
      typed: toTypedKeys({ ...typed, keys: keys ?? [] }),
      thenCapture: then_capture,
      words: terminalWords,
    };
    return toAnswer(await send(request, context), (sent) => toSentData(process_id, sent));
  },
});
