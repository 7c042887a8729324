import type { Grant } from '../grant.ts';
import { programOf, type SimpleCommand, showCommand } from '../shell/simple-command.ts';
import { isCertain } from '../shell/word.ts';
import type { Segment } from './read-start.ts';

/** Programs that only read or print, whatever their arguments are. */
const READERS = new Set(
  'echo ls cat head tail wc grep egrep fgrep rg stat du df pwd which whoami id uname ps diff cmp basename dirname realpath readlink jq true false test [ sleep'.split(
    ' ',
  ),
);

/** Programs whose first word says what they do, and those of their verbs that have a verb of their own. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  git: ['remote', 'stash', 'worktree', 'submodule'],
  hg: [],
  svn: [],
  jj: [],
  gh: ['pr', 'issue', 'run', 'repo', 'release', 'workflow'],
  glab: ['mr', 'issue', 'ci', 'repo'],
  npm: ['run', 'run-script'],
  pnpm: ['run'],
  yarn: ['run'],
  bun: ['run'],
  cargo: [],
  go: ['mod'],
  dotnet: [],
  pip: [],
  pip3: [],
  uv: ['pip'],
  poetry: [],
  apt: [],
  'apt-get': [],
  brew: [],
  docker: ['compose', 'container', 'image', 'network', 'volume'],
  podman: ['container', 'image', 'network', 'volume'],
  kubectl: [],
  helm: [],
  terraform: [],
  systemctl: [],
};

/** Verbs that run whatever comes behind them, or change what other verbs do. */
const OPEN_VERBS = /^(run|exec|x|dlx|debug|shell|alias|config|set|api)$/;

/**
 * Returns the grants that `'always'` would give for commands that only the mode asks about; `null` where that is
 * unknown: no command, or parts that are known only at run time.
 */
export function toCommandGrants(segments: readonly Segment[]): readonly Grant[] | null {
  const grants: Grant[] = [];
  for (const { command } of segments) {
    const pattern = toPattern(command);
    if (pattern === null) return null;
    const key = JSON.stringify([command.directories, pattern]);
    if (!grants.some((each) => each.key === key)) grants.push({ pattern, key });
  }
  return grants.length === 0 ? null : grants;
}

/** Returns program and verb with any arguments; otherwise this exact command, if its text says all that it does. */
function toPattern(command: SimpleCommand): string | null {
  const { words, assignments, redirections, input, directories } = command;
  const texts = [
    ...words,
    ...assignments.map(({ value }) => value),
    ...redirections.map(({ target }) => target),
  ];
  const places = directories.flat().map((step) => ('to' in step ? step.to : step.notTo));
  if (![...texts, ...places].every(isCertain)) return null;
  const writes = redirections.some(
    ({ direction, target }) => direction === 'write' && target !== '/dev/null',
  );
  if (assignments.length === 0 && !writes) {
    const stem = toStem(command);
    if (stem !== null) return `${stem} *`;
  }
  return input === null && !texts.some((text) => /[*?[]/.test(text)) ? showCommand(command) : null;
}

/** Returns the words that determine what a program does, whatever its arguments. */
function toStem(command: SimpleCommand): string | null {
  const [program = '', verb = '', inner = ''] = command.words;
  if (program !== programOf(command)) return null;
  if (READERS.has(program)) return program;
  const nested = Object.hasOwn(VERBS, program) ? VERBS[program] : undefined;
  if (nested === undefined || !/^[a-z][a-z-]*$/.test(verb)) return null;
  if (nested.includes(verb)) return /^\w[\w:.-]*$/.test(inner) ? `${program} ${verb} ${inner}` : null;
  return OPEN_VERBS.test(verb) ? null : `${program} ${verb}`;
}
