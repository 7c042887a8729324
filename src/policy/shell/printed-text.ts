import { decodeAnsiC } from './ansi-c.ts';
import { programOf, type SimpleCommand } from './simple-command.ts';
import { isCertain, UNKNOWN, type Word } from './word.ts';

/** Returns what a command writes into a pipe, as far as its words tell. */
export function toPrintedText(command: SimpleCommand): Word {
  const { words, input, redirections } = command;
  if (redirections.length > 0) return UNKNOWN;
  const args = words.slice(1);
  switch (programOf(command)) {
    case 'echo':
      return toEchoed(args);
    case 'printf':
      return toFormatted(args);
    case 'cat':
    case 'tee':
      return args.every((word) => word === '-') ? (input ?? UNKNOWN) : UNKNOWN;
    default:
      return UNKNOWN;
  }
}

/** Shells do not agree on what `echo` makes of a backslash. */
function toEchoed(args: readonly Word[]): Word {
  const start = args.findIndex((word) => !/^-[neE]+$/.test(word));
  const text = start === -1 ? '' : args.slice(start).join(' ');
  return text.includes('\\') ? UNKNOWN : `${text}\n`;
}

function toFormatted([format = '', ...rest]: readonly Word[]): Word {
  if (format === '%s') return rest.join('');
  if (format === '%s\\n') return rest.join('\n');
  return rest.length > 0 || format.includes('%') || !isCertain(format) ? UNKNOWN : decodeAnsiC(format);
}
