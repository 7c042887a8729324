import { programOf, type SimpleCommand } from '../shell/simple-command.ts';
import { isCertain, UNKNOWN, UNKNOWN_WORDS, type Word } from '../shell/word.ts';
import { unwrapFd, unwrapFind } from './find-call.ts';
import { unwrapMake } from './make-call.ts';
import { unwrapSed } from './sed-call.ts';
import { fromInput, isOwnInput, isShell, unwrapShell } from './shell-call.ts';
import { skipOptions } from './skip-options.ts';
import { nothingInside, type Unwrapped } from './unwrapped.ts';
import { readVariables } from './variables.ts';
import { type Wrapper, wrappers } from './wrapper-table.ts';

/** Finds what a command runs beside itself, one layer of it. */
export function unwrap(command: SimpleCommand): Unwrapped {
  const program = unwrapProgram(command);
  const variables = readVariables(command);
  return {
    ...program,
    scripts: [...program.scripts, ...variables.scripts.map((text) => ({ text, command }))],
    doubts: [...program.doubts, ...variables.doubts],
  };
}

function unwrapProgram(command: SimpleCommand): Unwrapped {
  const { words } = command;
  const [first] = words;
  const nothing = nothingInside(command);
  if (first === undefined) return nothing;
  if (!isCertain(first) || (first !== '[' && /[*?[]/.test(first)))
    return { ...nothing, doubts: ['runs a program whose name is only known when it runs'] };

  const program = programOf(command);
  if (isShell(program)) return unwrapShell(command);
  switch (program) {
    case 'find':
    case 'gfind':
      return unwrapFind(command);
    case 'fd':
    case 'fdfind':
      return unwrapFd(command);
    case '.':
    case 'source':
      return unwrapSource(command);
    case 'trap':
      return toScripts(command, words.slice(1, 2));
    case 'alias':
      return unwrapAlias(command);
    case 'hash':
      if (!words.some((word) => /^-\w*p/.test(word))) return nothing;
      return { ...nothing, doubts: ['gives a program another name'] };
    case 'git':
      if (!words.some((word) => /^ext::/.test(word)) || words.includes('commit')) return nothing;
      return { ...nothing, doubts: ['lets git run a command in place of an address'] };
    case 'make':
    case 'gmake':
      return unwrapMake(command);
    case 'sed':
    case 'gsed':
      return unwrapSed(command);
    case 'at':
    case 'batch':
    case 'crontab':
      return command.input === null && !words.includes('-') ? nothing : fromInput(command);
    case 'su':
    case 'sudo':
    case 'doas':
    case 'runuser':
      if (opensShell(words)) return openShell(command);
  }
  const wrapper = Object.hasOwn(wrappers, program) ? wrappers[program] : undefined;
  return wrapper === undefined ? nothing : unwrapWrapper(command, wrapper);
}

/** The file is as unknown as any program, unless it is made up on the way: `source <(…)`. */
function unwrapSource(command: SimpleCommand): Unwrapped {
  const [, file = ''] = command.words;
  if (isOwnInput(file)) return fromInput(command);
  const nothing = nothingInside(command);
  if (isCertain(file)) return nothing;
  return { ...nothing, doubts: ['reads commands from a file that is only known when it runs'] };
}

/** Treats an alias as unclear, because it may get its arguments later: `alias x=rm; x -rf /`. */
function unwrapAlias(command: SimpleCommand): Unwrapped {
  const texts = command.words.slice(1).map((word) => word.slice(word.indexOf('=') + 1));
  const isOpen = texts.some((text) =>
    /^\W*(\S*\/)?(rm|dd|find|tee|sudo|env|eval|(ba|da|z|k)?sh)\b/.test(text),
  );
  return { ...toScripts(command, texts), doubts: isOpen ? ['gives a program another name'] : [] };
}

function toScripts(command: SimpleCommand, texts: readonly Word[]): Unwrapped {
  return { ...nothingInside(command), scripts: texts.map((text) => ({ text, command })), ownWords: [] };
}

/** `sudo -s`, `sudo -i`, `su - root`: a shell, with a command or without. */
function opensShell(words: readonly Word[]): boolean {
  const program = programOf({ words });
  if (program === 'su' || program === 'runuser')
    return !words.some((word) => /^(-\w*c$|-u|--command|--user)/.test(word));
  const { index } = skipOptions(words, wrappers[program] ?? {});
  return words.slice(1, index).some((word) => /^(-[A-Za-z]*[si][A-Za-z]*|--shell|--login)$/.test(word));
}

function openShell(command: SimpleCommand): Unwrapped {
  const program = programOf(command);
  const { index } = skipOptions(command.words, wrappers[program] ?? {});
  const words = program === 'su' || program === 'runuser' ? [] : command.words.slice(index);
  return words.length === 0 ? fromInput(command) : toScripts(command, [words.join(' ')]);
}

function unwrapWrapper(command: SimpleCommand, wrapper: Wrapper): Unwrapped {
  const { words } = command;
  const program = programOf(command);
  if (program === 'command' && /^-\w*[vV]/.test(words[1] ?? '')) return nothingInside(command);
  const { index, isUnclear, isGuess } = skipOptions(words, wrapper);
  const options = words.slice(1, index);
  const isDirect = toOptionValue(options, wrapper.directWith ?? []) !== null;
  const start = index + (isDirect ? 0 : (wrapper.operands ?? 0));
  const named = toOptionValue(options, wrapper.program ?? []);
  const run = [...(named === null ? [] : [named]), ...words.slice(start)];
  const inside = toInside(command, { wrapper, options });
  const layer = {
    doubts: isUnclear ? [`gives ${program} an argument that is only known when it runs`] : [],
    ownWords: words.slice(1, start).filter((word) => toAssignment(word).length === 0),
    isTransparent: wrapper.isTransparent === true,
    isGuess,
  };
  if (program === 'env') {
    const split = toOptionValue(options, wrapper.script ?? []);
    if (split !== null) return { ...layer, ...giveText(inside, [split, ...run].join(' ')) };
  }
  const { textLetter } = wrapper;
  const isText = textLetter !== undefined && options.some((word) => hasLetter(word, textLetter));
  if (run.length > 0 && (wrapper.joins === true || isText))
    return { ...layer, ...giveText(inside, toJoined(run, wrapper)) };
  const given = program === 'env' ? null : toOptionValue(words.slice(1), wrapper.script ?? []);
  const all = wrapper.appends === true ? appendUnknown(run, options) : run;
  return {
    ...layer,
    commands: run.length === 0 ? [] : [{ ...inside, words: all }],
    scripts: given === null ? [] : [{ text: given, command: inside }],
  };
}

function hasLetter(word: Word, letter: string): boolean {
  return /^-\w/.test(word) && word.includes(letter);
}

function giveText(command: SimpleCommand, text: Word): Pick<Unwrapped, 'commands' | 'scripts'> {
  return { commands: [], scripts: [{ text, command }] };
}

/** Returns the inner command in the directory and with the variables that the wrapper sets. */
function toInside(
  command: SimpleCommand,
  { wrapper, options }: { wrapper: Wrapper; options: readonly Word[] },
): SimpleCommand {
  const assigned = wrapper.assignments === true ? options.flatMap(toAssignment) : [];
  const to = toOptionValue(options, wrapper.directory ?? []);
  const { directories } = command;
  return {
    ...command,
    assignments: [...command.assignments, ...assigned],
    redirections: [],
    directories: to === null ? directories : directories.map((steps) => [...steps, { to }]),
  };
}

/** The value of an option, whether it is attached or the next word; also at the end of a cluster: `-qc text`. */
function toOptionValue(words: readonly Word[], names: readonly string[]): Word | null {
  for (const [position, word] of words.entries()) {
    for (const name of names) {
      const value = toValue(word, { name, next: words[position + 1] ?? '' });
      if (value !== null) return value;
    }
  }
  return null;
}

function toValue(word: Word, { name, next }: { name: string; next: Word }): Word | null {
  if (word === name) return next;
  if (name.startsWith('--')) return word.startsWith(`${name}=`) ? word.slice(name.length + 1) : null;
  if (!/^-\w/.test(word)) return null;
  if (word.startsWith(name)) return word.slice(name.length);
  return /^-\w+$/.test(word) && word.endsWith(name.slice(1)) ? next : null;
}

function toAssignment(word: Word): { name: string; value: Word }[] {
  const [, name, value] = /^([A-Za-z_]\w*)=([\s\S]*)$/.exec(word) ?? [];
  return name === undefined || value === undefined ? [] : [{ name, value }];
}

/** `xargs -I {}` puts what it reads in the place of a word of its own choice. */
function appendUnknown(run: readonly Word[], options: readonly Word[]): readonly Word[] {
  const at = options.findIndex((word) => /^-\w*[IJ]$/.test(word));
  const place = at === -1 ? options.find((word) => /^-I./.test(word))?.slice(2) : options[at + 1];
  if (place === undefined || place === '') return [...run, UNKNOWN_WORDS];
  return run.map((word) => word.replaceAll(place, UNKNOWN));
}

/** GNU parallel runs the words before `:::` for each argument. */
function toJoined(run: readonly Word[], { appends }: Wrapper): Word {
  if (appends !== true) return run.join(' ');
  const end = run.findIndex((word) => /^:::/.test(word));
  const template = (end === -1 ? run : run.slice(0, end)).join(' ').replaceAll(/\{[^{}]*\}/g, UNKNOWN);
  return `${template} ${UNKNOWN_WORDS}`;
}
