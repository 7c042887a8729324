import type { SimpleCommand } from '../shell/simple-command.ts';
import type { Word } from '../shell/word.ts';
import { nothingInside, type Unwrapped } from './unwrapped.ts';

const RUNNERS = ['-exec', '-execdir', '-ok', '-okdir'];

/** A path below where `find` looks: it begins with that, so it is never an option. */
const FOUND = './\0';

/** Returns the commands that `find` runs for its results. */
export function unwrapFind(command: SimpleCommand): Unwrapped {
  const { words } = command;
  const commands: SimpleCommand[] = [];
  const ownWords: Word[] = [];
  for (let index = 1; index < words.length; index++) {
    const word = words[index] ?? '';
    ownWords.push(word);
    if (!RUNNERS.includes(word)) continue;
    const length = words.slice(index + 1).findIndex((next) => next === ';' || next === '+');
    const end = length === -1 ? words.length : index + 1 + length;
    const run = words.slice(index + 1, end).map((part) => part.replaceAll('{}', FOUND));
    commands.push({ ...command, words: run, assignments: [], redirections: [] });
    index = end;
  }
  return { ...nothingInside(command), commands, ownWords };
}

/** Returns the command that `fd` runs: everything after the option. */
export function unwrapFd(command: SimpleCommand): Unwrapped {
  const { words } = command;
  const at = words.findIndex((word) => ['-x', '-X', '--exec', '--exec-batch'].includes(word));
  if (at === -1) return nothingInside(command);
  const run = words.slice(at + 1).map((part) => part.replaceAll(/\{[./]*\}/g, FOUND));
  const hasPlace = run.some((part) => part.includes(FOUND));
  const inside = { ...command, words: hasPlace ? run : [...run, FOUND], assignments: [], redirections: [] };
  return { ...nothingInside(command), commands: [inside], ownWords: words.slice(1, at) };
}
