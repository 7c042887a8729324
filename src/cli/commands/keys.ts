import type { KeyFlags } from '../terminal/press-keys.ts';
import { addStateFlags, type DefineVerb, idHelp } from '../verb.ts';

const toMore = (name: string) => `
Keys: Enter, Tab, Escape, Space, Backspace, Delete, Insert, Up, Down, Left,
Right, Home, End, PageUp, PageDown, F1 to F12; with C- for Ctrl, M- for Alt,
S- for Shift: C-c, M-x, S-Tab. One character is a key, too. All is typed in the
order in which it stands here; --enter comes last.

Examples:
  ${name} keys editor Escape --text :wq --enter
  ${name} keys repl --text 'print(1)' --enter
  ${name} keys server C-c
  ${name} keys repl --paste - --enter < script.py`;

export const define: DefineVerb = (command, { name, io, end }) => {
  const parse = command.parseOptions.bind(command);
  let words: readonly string[] = [];
  command.parseOptions = (given) => {
    words = given;
    return parse(given);
  };
  addStateFlags(
    command
      .description('Types in the terminal of a process.')
      .argument('<id>', idHelp)
      .argument('[key...]', 'names of keys')
      .option('--text <text>', 'type this as it stands')
      .option('--paste <text>', 'paste this in one piece; "-" is what stands on stdin')
      .option('--enter', 'press Enter at the end'),
    { json: 'print {"ok", "bytesWritten"}', quiet: 'print only what went wrong' },
  )
    .addHelpText('after', toMore(name))
    .action(async (word: string, _keys: readonly string[], flags: KeyFlags) => {
      const { pressKeys } = await import('../terminal/press-keys.ts');
      const { parseTypingOrder: readTypingOrder } = await import('../terminal/typing-order.ts');
      end(await pressKeys({ word, typed: readTypingOrder(words, command), flags, io }));
    });
};
