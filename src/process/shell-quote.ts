const PLAIN = /^[\w@%+=:,./-]+$/;

/** An argument as one would type it into a POSIX shell. */
export function shellQuote(argument: string): string {
  return PLAIN.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
