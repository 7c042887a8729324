import type { Directory } from '../shell/directories.ts';
import type { ShellGrammar } from '../shell/shell-grammar.ts';
import type { SimpleCommand } from '../shell/simple-command.ts';
import { readSimpleCommands, type ShellStart } from '../shell/simple-commands.ts';
import { isCertain, toShellText, type Word } from '../shell/word.ts';
import { unwrap } from '../unwrap/unwrap.ts';

/** Simple command of a start, at any depth of wrapping. */
export interface Segment {
  readonly command: SimpleCommand;
  /** Arguments, except those of the command that it runs. */
  readonly ownWords: readonly Word[];
  /** Runs another command without adding anything: `nohup`, `timeout 5`. */
  readonly isTransparent: boolean;
  /** The boundary of its own words is a guess. */
  readonly isGuess: boolean;
}

/** Commands that a start would run, as far as they are known. */
export interface StartReading {
  readonly segments: readonly Segment[];
  /** Reasons why more may run, each as the end of a sentence that begins with "it". */
  readonly doubts: readonly string[];
  /** Functions that multiply themselves. */
  readonly bombs: readonly string[];
}

const MAX_DEPTH = 8;
const MAX_SEGMENTS = 5_000;

/** Limit for parsed text; no typed command is longer, and parsing costs time. */
export const MAX_COMMAND_CHARACTERS = 65_536;

/** Parses shell text, or a program with its arguments, and whatever these run in turn. */
export function readStart(
  command: string | readonly string[],
  { directories, grammar }: { directories: readonly Directory[]; grammar: ShellGrammar },
): StartReading {
  const segments: Segment[] = [];
  const doubts: string[] = [];
  const bombs: string[] = [];

  const readText = (text: Word, start: ShellStart, depth: number): void => {
    if (text.length > MAX_COMMAND_CHARACTERS) {
      doubts.push(`is longer than ${MAX_COMMAND_CHARACTERS} characters`);
      return;
    }
    if (!isCertain(text)) doubts.push('gives a shell text that is only known when it runs');
    const reading = readSimpleCommands(toShellText(text), start, grammar);
    doubts.push(...reading.doubts);
    bombs.push(...reading.bombs);
    for (const found of reading.commands) readCommand(found, depth);
  };

  const readCommand = (found: SimpleCommand, depth: number): void => {
    if (depth > MAX_DEPTH || segments.length >= MAX_SEGMENTS) {
      doubts.push(
        depth > MAX_DEPTH ? 'has too many wrappers to be analysed' : 'consists of too many commands',
      );
      return;
    }
    const { commands, scripts, ownWords, isTransparent, isGuess = false, ...inside } = unwrap(found);
    segments.push({ command: found, ownWords, isTransparent, isGuess });
    doubts.push(...inside.doubts);
    for (const inner of commands) readCommand(inner, depth + 1);
    for (const { text, command: shell } of scripts) {
      readText(text, { directories: shell.directories, input: shell.input }, depth + 1);
    }
  };

  const start: ShellStart = { directories, input: null };
  if (typeof command !== 'string') {
    const words = [...command];
    if (!words.every(isCertain)) doubts.push('has a NUL character in it');
    readCommand({ ...start, words, assignments: [], redirections: [] }, 0);
  } else if (isCertain(command)) {
    readText(command, start, 0);
  } else {
    doubts.push('has a NUL character in it');
  }
  return { segments, doubts: [...new Set(doubts)], bombs };
}
