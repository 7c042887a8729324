import type { Grant } from '../grant.ts';
import { programOf, type SimpleCommand, showCommand } from '../shell/simple-command.ts';
import { isCertain } from '../shell/word.ts';

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
export function toCommandGrants(commands: readonly SimpleCommand[]): readonly Grant[] | null {
  return toGrants(commands, toPattern);
}

/** Returns grants for exactly these commands, about which a rule asks. A grant of a program and its verb does not cover them. */
export function toExactGrants(commands: readonly SimpleCommand[]): readonly Grant[] | null {
  return toGrants(commands, (command) => (isKnown(command) ? showCommand(command) : null), 'exact');
}

function toGrants(
  commands: readonly SimpleCommand[],
  toText: (command: SimpleCommand) => string | null,
  ...more: readonly string[]
): readonly Grant[] | null {
  const grants = new Map<string, Grant>();
  for (const command of commands) {
    const pattern = toText(command);
    if (pattern === null) return null;
    const key = JSON.stringify([command.directories, pattern, ...more]);
    grants.set(key, { pattern, key });
  }
  return grants.size === 0 ? null : [...grants.values()];
}

/** Tells whether the text of a command says all that it does. */
function isKnown({ words, assignments, redirections, input, directories }: SimpleCommand): boolean {
  const texts = [
    ...words,
    ...assignments.map(({ value }) => value),
    ...redirections.map(({ target }) => target),
  ];
  const places = directories.flat().map(({ to }) => to);
  return (
    input === null && [...texts, ...places].every(isCertain) && !texts.some((text) => /[*?[]/.test(text))
  );
}

/** Returns program and verb with any arguments; otherwise this exact command, if its text says all that it does. */
function toPattern(command: SimpleCommand): string | null {
  const { words, assignments, redirections, directories } = command;
  const texts = [
    ...words,
    ...redirections.map(({ target }) => target),
    ...directories.flat().map(({ to }) => to),
  ];
  if (![...texts, ...assignments.map(({ value }) => value)].every(isCertain)) return null;
  const writes = redirections.some(
    ({ direction, target }) => direction === 'write' && target !== '/dev/null',
  );
  const stem = assignments.length === 0 && !writes ? toStem(command) : null;
  if (stem !== null) return `${stem} *`;
  return isKnown(command) ? showCommand(command) : null;
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
