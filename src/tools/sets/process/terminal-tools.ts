import { z } from 'zod';
import { terminalSize } from '../../../config/process-spec.ts';
import { toAnswer } from '../../actions/outcome.ts';
import {
  captureScreen as capture,
  resizeTerminal as resize,
  sendKeys as send,
  type TerminalWords,
} from '../../actions/terminals.ts';
import { toScreenData, toSentData } from '../../answer-data.ts';
import { defineTool } from '../../define-tool.ts';
import { findKeysProblem, pressEnter, processId, secret, thenCapture, toTypedKeys } from '../fields.ts';

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

/** Hints in the words of this tool set. */
const terminalWords: TerminalWords = {
  read: 'Read what it printed with get_process_output.',
  write: 'Its input is a pipe: use write_process; to stop it use kill_process.',
  answer: 'Where its input is a pipe use write_process; to stop it use kill_process.',
  textField: 'text',
};
