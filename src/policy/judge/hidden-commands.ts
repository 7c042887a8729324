import type { ShellGrammar } from '../shell/shell-grammar.ts';
import { programOf, type SimpleCommand } from '../shell/simple-command.ts';
import { isCertain, toShellText, UNKNOWN, type Word } from '../shell/word.ts';
import { isShell } from '../unwrap/shell-call.ts';
import { wrappers } from '../unwrap/wrapper-table.ts';
import { readStart } from './read-start.ts';
import { mayStartOthers } from './starts-others.ts';

/** Programs that only read, write, find or store a command in their arguments. */
const TEXT_PROGRAMS = new Set(
  'echo printf true false : test [ grep egrep fgrep rg ag ack cat head tail less more wc sort uniq tr cut diff cmp ls tree stat file mkdir touch cd pushd pwd man which whereis type help apropos whatis info basename dirname realpath readlink jq yq logger notify-send say figlet cowsay gh glab curl wget read export declare local readonly unset hash apt apt-get brew dpkg pip pip3 rm cp mv dd sleep wait kill exit return set shift'.split(
    ' ',
  ),
);

/** Verbs of git whose arguments are text, names and paths. */
const GIT_TEXT = new Set(
  'add blame branch checkout cherry-pick clone commit config-get describe diff fetch grep init log ls-files merge mv notes pull push remote reset restore revert rm show stash status switch tag worktree'.split(
    ' ',
  ),
);

/** Programs that run text in a language of their own. */
const INTERPRETERS =
  /^(python[\d.]*|pypy\d?|perl[\d.]*|ruby[\d.]*|node|nodejs|deno|bun|php[\d.]*|lua[\d.]*|luajit|tclsh|expect|awk|gawk|mawk|nawk|rscript|julia|osascript|pwsh|powershell|guile|groovy|scala|elixir|erl|ghci?|gdb|lldb|vim?|nvim|ex|ed|emacs|sqlite3|psql|mysql)$/;

/** Subjects of the default rules, and how languages start programs or delete trees. */
const DANGEROUS_WORDS =
  /\b(rm|rmtree|rmSync|rm_rf|rm_r|rimraf|removeSync|dd|mkfs\w*|mke2fs|diskpart|shutdown|reboot|poweroff|halt|pkill|killall|system|popen|execv?[lpe]*|execSync|spawn\w*|child_process|subprocess|unlink\w*|os\.remove|eval|Remove-Item)\b|\/dev\/(sd|nvme|hd|vd|mem|disk)/;

const MAX_STARTS = 20;

/** Words by which a command of the default rules can be known among the arguments of another program. */
const STARTS = /^(rm|grm|dd|mkfs\S*|mke2fs|rimraf|find)$/;

/**
 * Finds commands that an unknown program may run although they look like text: `docker run x rm -rf /`, `awk 'BEGIN {
 * system("…") }'`. A guess, sufficient only for a question.
 */
export function findHiddenCommands(
  command: SimpleCommand,
  {
    grammar,
    isGuess,
    isDenied,
  }: { grammar: ShellGrammar; isGuess: boolean; isDenied: (command: SimpleCommand) => boolean },
): string | null {
  const program = programOf(command);
  if (command.words.length === 0 || (!isGuess && isTextOnly(command))) return null;
  if (isCode(command)) return `runs code in ${program} that may start programs or delete files`;
  const read = (text: string | readonly string[]) =>
    readStart(text, { directories: command.directories, grammar }).segments.some((segment) =>
      isDenied(segment.command),
    );

  let starts = 0;
  for (const [index, word] of command.words.entries()) {
    if (index === 0) continue;
    if (starts > MAX_STARTS) return `contains more than can be analysed: ${program}`;
    const name = programOf({ words: [word] });
    const mayStart = STARTS.test(name) || isShell(name) || Object.hasOwn(wrappers, name);
    if (mayStart) starts++;
    if (mayStart && isCertain(word) && read(command.words.slice(index)))
      return `may run what is denied: ${program} gets it as an argument`;
    if (/\s/.test(word) && DANGEROUS_WORDS.test(word) && toTexts(word).some(read))
      return `may run what is denied: ${program} gets it as text`;
  }
  return null;
}

function isTextOnly(command: SimpleCommand): boolean {
  const program = programOf(command);
  if (isShell(program) || Object.hasOwn(wrappers, program)) return true;
  if (program !== 'git') return TEXT_PROGRAMS.has(program) || program === 'find';
  const { words } = command;
  const verb = words.slice(1).find((word) => !word.startsWith('-')) ?? '';
  return GIT_TEXT.has(verb) && !mayStartOthers(command);
}

function isCode(command: SimpleCommand): boolean {
  if (!INTERPRETERS.test(programOf(command))) return false;
  const { words, input } = command;
  const reads = words.length === 1 || words.includes('-');
  if (reads && input !== null) return input === UNKNOWN || DANGEROUS_WORDS.test(input);
  return words.slice(1).some((word) => /[\s({[]/.test(word) && DANGEROUS_WORDS.test(word));
}

/** Returns an argument as a command, each quoted text in it, and the parts that begin with a telltale word. */
function toTexts(word: Word): readonly string[] {
  const quoted = [...word.matchAll(/(["'`])((?:\\[\s\S]|(?!\1)[^\\])+)\1/g)].map(([, , text = '']) => text);
  const ends = [...word.matchAll(new RegExp(DANGEROUS_WORDS, 'g'))]
    .slice(0, 10)
    .map(({ index }) => word.slice(index));
  return [word, ...quoted, ...ends].map(toShellText);
}
