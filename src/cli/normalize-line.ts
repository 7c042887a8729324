import { type VerbEntry, verbGroups } from './verbs.ts';

/** Rewrites the habits of other programs into the words of this one: aliases of verbs, and `kill -9`. */
export function normalizeLine(args: readonly string[]): readonly string[] {
  const resolved = resolveAlias(args);
  const [verb, ofGroup] = resolved;
  return verb === 'kill' || (verb === 'process' && ofGroup === 'kill') ? expandSignals(resolved) : resolved;
}

const aliases: ReadonlyMap<string, readonly string[]> = new Map(
  Object.values(verbGroups)
    .flatMap((verbs) => Object.entries(verbs))
    .flatMap(([name, entry]) =>
      Object.entries(entry.aliases ?? {}).map(([alias, flags]) => [alias, [name, ...flags]] as const),
    ),
);

/** Replaces an alias by its verb and flags, also where the line is explained or completed. */
function resolveAlias(args: readonly string[]): readonly string[] {
  const [first, ...rest] = args;
  if (first === undefined) return args;
  if (first === 'help') return [first, ...resolveAlias(rest).slice(0, 1), ...rest.slice(1)];
  if (first === '__complete') {
    const isMarked = rest[0] === '--';
    const words = isMarked ? rest.slice(1) : rest;
    // The last word is still being typed.
    return [first, ...(isMarked ? ['--'] : []), ...(words.length < 2 ? words : resolveAlias(words))];
  }
  return [...(aliases.get(first) ?? [first]), ...rest];
}

/** Replaces a signal as kill(1) takes it, `-9` or `-KILL`, by the option `--signal`. */
function expandSignals(args: readonly string[]): readonly string[] {
  const end = args.indexOf('--');
  return args.flatMap((word, index) => {
    const [, signal] = /^-(\d+|[A-Z][A-Z\d+-]+)$/.exec(word) ?? [];
    return signal === undefined || (end !== -1 && index > end) ? [word] : ['--signal', signal];
  });
}

/** Returns the lines that name the aliases of a verb, for its help. */
export function describeAliases({ aliases: own = {} }: VerbEntry): string {
  const shown = Object.entries(own).map(([alias, flags]) =>
    [alias, ...flags.map((flag) => `(${flag})`)].join(' '),
  );
  return shown.length === 0 ? '' : `\nAliases: ${shown.join(', ')}`;
}
