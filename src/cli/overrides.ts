const DOTTED = /^--[a-z_]+(?:\.[\w*-]+)+(?<value>=.*)?$/s;

/**
 * Takes the dotted settings of an agent out of a command line, `--supervisor.default_timeout=60`: they are of no fixed number, so no
 * list of flags can name them. The value stands behind `=` or is the next word. Behind `--` nothing is taken.
 */
export function takeOverrides(args: readonly string[]): {
  /** Each as `--section.key=value`. */
  readonly overrides: readonly string[];
  readonly rest: readonly string[];
} {
  const overrides: string[] = [];
  const rest: string[] = [];
  const left = [...args];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--') {
      rest.push(word, ...left.splice(0));
    } else if (!DOTTED.test(word)) {
      rest.push(word);
    } else {
      overrides.push(word.includes('=') ? word : `${word}=${takeValue(left)}`);
    }
  }
  return { overrides, rest };
}

/** Without a value a setting is switched on. */
function takeValue(left: string[]): string {
  return left[0] === undefined || left[0].startsWith('-') ? 'true' : (left.shift() ?? 'true');
}
