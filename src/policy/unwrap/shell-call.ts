import type { SimpleCommand } from '../shell/simple-command.ts';
import { isCertain, UNKNOWN, type Word } from '../shell/word.ts';
import { skipOptions } from './skip-options.ts';
import { nothingInside, type Unwrapped } from './unwrapped.ts';

const SHELLS = ['sh', 'bash', 'dash', 'zsh', 'ksh', 'mksh', 'ash', 'yash', 'fish', 'csh', 'tcsh', 'rbash'];

export function isShell(program: string): boolean {
  return SHELLS.includes(program);
}

/** Returns the source of a shell's commands: `-c`, its input, or an unknown file. */
export function unwrapShell(command: SimpleCommand): Unwrapped {
  const { words } = command;
  const { index, isUnclear } = skipOptions(words, { letters: 'oO', long: ['--rcfile', '--init-file'] });
  const options = words.slice(1, index);
  const nothing = nothingInside(command);
  if (isUnclear) return { ...nothing, doubts: ['gives a shell an argument that is only known when it runs'] };

  if (options.some((word) => word === '--version' || word === '--help')) return nothing;

  const attached = options.find((word) => /^--command=/.test(word));
  if (attached !== undefined) return toScript(command, attached.slice('--command='.length), []);
  if (options.some((word) => /^-[A-Za-z]*c[A-Za-z]*$/.test(word) || word === '--command')) {
    return toScript(command, words[index] ?? '', words.slice(index + 1));
  }
  const readsInput = options.some((word) => /^-[A-Za-z]*s[A-Za-z]*$/.test(word));
  const file = words[index];
  if (file === undefined || file === '-' || readsInput || isOwnInput(file)) return fromInput(command);
  if (isCertain(file)) return nothing;
  return { ...nothing, doubts: ['gives a shell a file that is only known when it runs'] };
}

function toScript(command: SimpleCommand, text: Word, ownWords: readonly Word[]): Unwrapped {
  return { ...nothingInside(command), scripts: [{ text, command }], ownWords };
}

export function isOwnInput(file: Word): boolean {
  return /^\/(dev\/stdin|dev\/fd\/|proc\/self\/fd\/)/.test(file);
}

/** Treats the input of a shell as a program. Without it, anything may be typed. */
export function fromInput(command: SimpleCommand): Unwrapped {
  const { input } = command;
  const nothing = nothingInside(command);
  if (input === null) return { ...nothing, doubts: ['starts a shell that reads commands from its input'] };
  if (/^\0*$/.test(input) && input !== '')
    return { ...nothing, doubts: ['feeds a shell what is only known when it runs'] };
  return { ...nothing, scripts: [{ text: input, command: { ...command, input: UNKNOWN } }] };
}
