import { existsSync } from 'node:fs';

/** Shell that becomes a command, and the line with which it does. */
interface LauncherShell {
  readonly argv: readonly string[];
  /** Returns the line that executes `"$@"` with `env`, if the shell was started with it. */
  readonly become: (env: Readonly<NodeJS.ProcessEnv>) => string;
}

/**
 * Chooses the shell for an environment with these variables. dash drops variables whose names are no shell names (`a.b`, functions of bash):
 * those need bash, which with `-p` leaves them alone. bash changes `_` and SHLVL, which `env` undoes.
 */
export function chooseLauncherShell(names: readonly string[]): LauncherShell {
  const plain = { become: () => 'exec "$@"' };
  const hasBash = existsSync('/bin/bash');
  if (hasBash && names.some((name) => !/^[A-Za-z_]\w*$/.test(name))) return bash;
  if (existsSync('/bin/dash')) return { argv: ['/bin/dash'], ...plain };
  return hasBash ? bash : { argv: ['/bin/sh'], ...plain };
}

const bash: LauncherShell = {
  argv: ['/bin/bash', '--posix', '-p'],
  become: (env) => {
    const own = ['_', 'SHLVL'];
    const unset = own.filter((name) => env[name] === undefined).map((name) => `-u ${name}`);
    const set = own
      .filter((name) => env[name] !== undefined)
      .map((name) => toShellWord(`${name}=${env[name]}`));
    return ['exec /usr/bin/env', ...unset, ...set, '"$@"'].join(' ');
  },
};

/** Wraps a command in a shell that executes lines and then becomes the command, with the same pid and the given environment. */
export function becomeAfter(
  lines: readonly string[],
  { command, env }: { readonly command: readonly string[]; readonly env: Readonly<NodeJS.ProcessEnv> },
): readonly [file: string, ...args: readonly string[]] {
  const shell = chooseLauncherShell(Object.keys(env));
  // Shells set both for themselves.
  const { PWD: directory, OLDPWD: before } = env;
  const restore = directory === undefined ? 'unset PWD' : 'PWD=$0; export PWD';
  const other = before === undefined ? ['unset OLDPWD'] : [];
  const script = [...lines, restore, ...other, shell.become(env)].join('\n');
  const [file = '/bin/sh', ...flags] = shell.argv;
  return [file, ...flags, '-c', script, directory ?? '', ...command];
}

/** Quotes a text for a POSIX shell. */
export function quoteWord(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/**
 * Quotes a text for a POSIX shell without characters that tmux would expand as formats and dates before the shell sees them:
 * unusual ones are printed by number. A trailing newline is lost.
 */
export function toShellWord(text: string): string {
  if (/^[\w./-]+$/.test(text)) return text;
  const encoded = text.replaceAll(/[^A-Za-z0-9_./]+/g, (unusual) =>
    [...Buffer.from(unusual)].map((byte) => `\\${byte.toString(8).padStart(3, '0')}`).join(''),
  );
  return `"$(printf '${encoded}')"`;
}
