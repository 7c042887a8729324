import { programOf, type SimpleCommand } from '../shell/simple-command.ts';
import { isCertain, type Word } from '../shell/word.ts';
import { isOwnInput, isShell } from './shell-call.ts';

/** Variables whose value a program hands to a shell. */
const COMMANDS =
  /^(\w+_)?(PAGER|EDITOR|ASKPASS)$|^(VISUAL|GIT_SSH_COMMAND|GIT_PROXY_COMMAND|GIT_EXTERNAL_DIFF|PROMPT_COMMAND|RSYNC_RSH)$/;

/** Builtins that take names of variables, with values or without. */
const DECLARERS = new Set(
  'export declare typeset local readonly read mapfile readarray printf unset let test [ getopts'.split(' '),
);

/** bash evaluates the index of an array wherever it computes: `x='a[$(…)]'; echo $((x))`. */
const SUBSCRIPT = /[A-Za-z_]\w*\[[^\]]*(\$\(|`|\$\{)/;

/** Returns what is run because of the variables that a command sets. */
export function readVariables(command: SimpleCommand): {
  readonly scripts: readonly Word[];
  readonly doubts: readonly string[];
} {
  const variables = [...command.assignments, ...toDeclared(command)];
  return {
    scripts: variables.filter(({ name }) => COMMANDS.test(name)).map(({ value }) => value),
    doubts: variables.flatMap((variable) => findDoubt(variable, programOf(command))),
  };
}

interface Variable {
  readonly name: string;
  readonly value: Word;
}

function toDeclared(command: SimpleCommand): readonly Variable[] {
  if (!DECLARERS.has(programOf(command))) return [];
  const { input, words } = command;
  const isRead = ['read', 'mapfile', 'readarray'].includes(programOf(command)) && input !== null;
  const declared = words.slice(1).map((word) => {
    const [, name = word, value = word] = /^(\w+)\+?=([\s\S]*)$/.exec(word) ?? [];
    return { name, value };
  });
  return isRead ? [...declared, { name: '', value: input }] : declared;
}

function findDoubt({ name, value }: Variable, program: string): readonly string[] {
  if (name === 'CDPATH') return ['sets CDPATH, by which "cd" may lead anywhere'];
  if (SUBSCRIPT.test(value) && program !== 'printf')
    return ['sets a variable to what runs commands where it is computed with'];
  if (name === 'PS4' && /\$\(|`/.test(value)) return ['sets a prompt that runs commands'];
  if (/^GIT_CONFIG_(VALUE_\d+|PARAMETERS)$/.test(name) && /[!\0]/.test(value))
    return ['sets a configuration of git that may run commands'];
  const isStartFile = name === 'BASH_ENV' || (name === 'ENV' && isShell(program));
  const isOpen = isStartFile && (!isCertain(value) || isOwnInput(value));
  return isOpen ? ['lets a shell begin with a file that is only known when it runs'] : [];
}
