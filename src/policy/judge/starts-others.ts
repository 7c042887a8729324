import { programOf, type SimpleCommand } from '../shell/simple-command.ts';
import { isCertain, type Word } from '../shell/word.ts';
import { readSedCall } from '../unwrap/sed-call.ts';
import { skipOptions } from '../unwrap/skip-options.ts';

/** Ways to make a program run another one, or write a file, that its name does not reveal. */
interface Starter {
  /** Long options, also abbreviated. */
  readonly long?: readonly string[];
  /** Letters of short options, also in a cluster. */
  readonly letters?: string;
  /** Any word that matches. */
  readonly words?: RegExp;
}

/** Pipes, files and extensions in the language of awk. */
const AWK: Starter = {
  words: /system|getline|[|>@]|ARG[VC]|\0/,
  long: ['--load', '--include'],
  letters: 'lioE',
};

const EDITOR: Starter = { letters: 'cS', long: ['--cmd', '--eval'], words: /^\+/ };

const SECURE_COPY: Starter = { letters: 'oSF' };

const starters: Readonly<Record<string, Starter>> = {
  awk: AWK,
  gawk: AWK,
  mawk: AWK,
  nawk: AWK,
  vi: EDITOR,
  vim: EDITOR,
  nvim: EDITOR,
  view: EDITOR,
  emacs: EDITOR,
  less: { words: /^\+/ },
  man: { letters: 'PH', long: ['--pager', '--html'] },
  sort: { long: ['--compress-program'] },
  tar: {
    letters: 'IF',
    long: [
      '--to-command',
      '--checkpoint-action',
      '--use-compress-program',
      '--rsh-command',
      '--info-script',
      '--new-volume-script',
    ],
  },
  rsync: { letters: 'e', long: ['--rsh', '--rsync-path'] },
  scp: SECURE_COPY,
  sftp: SECURE_COPY,
  ssh: SECURE_COPY,
  split: { long: ['--filter'] },
  zip: { long: ['--unzip-command'], words: /^-\w*TT/ },
  rg: { long: ['--pre', '--hostname-bin'] },
  find: { words: /^-f(print|ls)/ },
  make: { long: ['--eval'], words: /^[\w.]+[:+?!]*=.*[\s$`;|&]|^\W*(SHELL|MAKEFLAGS)\W?=/s },
  gcc: { words: /^-(wrapper|fplugin|specs|B)/ },
  'g++': { words: /^-(wrapper|fplugin|specs|B)/ },
  go: { words: /^--?(exec|toolexec|vettool|ldflags|gcflags)/ },
  cargo: { long: ['--config'] },
  npm: { long: ['--script-shell', '--node-options'] },
  tcpdump: { letters: 'z' },
};

/** Options of git's verbs. */
const GIT: Readonly<Record<string, Starter>> = {
  grep: { letters: 'O', long: ['--open-files-in-pager'] },
  clone: { letters: 'uc', long: ['--config', '--template'] },
  init: { long: ['--template'] },
  rebase: { letters: 'x' },
  difftool: { letters: 'x', long: ['--extcmd'] },
  archive: { letters: 'o' },
  'format-patch': { letters: 'o' },
  bisect: { words: /^run$/ },
  submodule: { words: /^foreach$/ },
  'filter-branch': { words: /./ },
};

const GIT_LONG = ['--exec', '--upload-pack', '--receive-pack', '--output', '--ext-diff', '--textconv'];

/** Global options of git that hand it a configuration, or other programs. */
const GIT_CONFIG = /^(-c|--config-env|--exec-path=)/;

/**
 * Tells whether the program may run or write something that a pattern for its name does not show. A list of known
 * cases.
 */
export function mayStartOthers(command: SimpleCommand): boolean {
  const program = programOf(command);
  const [, ...args] = command.words;
  if (program === 'git') return mayGitStart(command.words);
  if (program === 'sed' || program === 'gsed')
    return readSedCall(command).some((reading) => reading === null || reading.runs || reading.writes);
  return Object.hasOwn(starters, program) && args.some((word) => isStarter(word, starters[program] ?? {}));
}

function mayGitStart(words: readonly Word[]): boolean {
  const long = ['--git-dir', '--work-tree', '--namespace', '--config-env', '--super-prefix', '--attr-source'];
  const { index } = skipOptions(words, { letters: 'Cc', long });
  if (words.slice(1, index).some((word) => GIT_CONFIG.test(word))) return true;
  const verb = words[index] ?? '';
  const starter = Object.hasOwn(GIT, verb) ? (GIT[verb] ?? {}) : {};
  const all = { ...starter, long: [...(starter.long ?? []), ...GIT_LONG] };
  return words.slice(index + 1).some((word) => /^(ext|fd)::/.test(word) || isStarter(word, all));
}

function isStarter(word: Word, { long = [], letters = '', words }: Starter): boolean {
  if (words?.test(word) === true) return true;
  const [name = ''] = word.split('=', 1);
  if (name.startsWith('--'))
    return name.length > 3 && isCertain(name) && long.some((option) => option.startsWith(name));
  const [cluster = ''] = /^-[A-Za-z]+/.exec(name) ?? [];
  return [...cluster.slice(1)].some((letter) => letters.includes(letter));
}
