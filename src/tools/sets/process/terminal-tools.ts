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
    'Types into the terminal of a process that was started with interactive: true, and shows the screen once it has settled. For ' +
    'full-screen programs (vim, less, top), menus, shells and prompts. Text and key names are separate: to quit vim ' +
    'send keys ["Escape"] and text ":q!" in two calls, the second with press_enter.',
  permission: 'keys',
  input: z.strictObject({
    process_id: processId,
    text: z
      .string()
      .optional()
      .describe(
        'Typed first, literally. Several lines are pasted at once: they are not run line by line and are not editor commands.',
      ),
    paste: z.boolean().default(false).describe('Sends the text as a paste even if it is a single line.'),
    keys: z
      .array(z.string())
      .optional()
      .describe('Key names, pressed after the text: "Enter", "Escape", "Up", "C-c", "M-x", "S-Tab", "F5".'),
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
    'Shows the current or last screen of a process that was started with interactive: true, with the cursor; rows and ' +
    'columns count from 1. Text with a distinct background, such as the selected menu entry, is listed in highlighted. Not needed after send_keys, which shows the screen itself; to wait for a change use watch_process or ' +
    'wait_for. For plain output use get_process_output.',
  permission: 'output',
  input: z.strictObject({
    process_id: processId,
    scrollback_lines: z
      .int()
      .min(0)
      .max(100_000)
      .default(0)
      .describe('Number of lines that have scrolled out at the top.'),
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
    'Resizes the terminal of a process, for example to see long lines in full; the program is notified. The initial size is 80 columns and 24 ' +
    'rows.',
  permission: 'keys',
  input: z.strictObject({
    process_id: processId,
    columns: columns.removeDefault().describe('Characters per row, 2 to 1000.'),
    rows: rows.removeDefault().describe('Number of rows, 1 to 1000.'),
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
