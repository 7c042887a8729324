import { programOf, type SimpleCommand, showCommand } from '../shell/simple-command.ts';

/** Compiles a user's pattern: `*` matches any text, `?` one character, everything else itself. */
export function toCommandPattern(pattern: string): RegExp {
  const source = pattern
    .trim()
    .split(/\s+/)
    .map((word) => word.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&'))
    .join(' ')
    // `npm test *` is also `npm test`.
    .replace(/ \*$/, '( .*)?')
    .replaceAll(/(?<!\.)\*/g, '.*')
    .replaceAll(/(?<!\))\?/g, '.');
  return new RegExp(`^${source}$`, 's');
}

/** Tests a denied pattern. A program is denied under any path; assignments and redirections hide nothing. */
export function isDeniedBy(pattern: RegExp, command: SimpleCommand): boolean {
  const { words } = command;
  const plain = { ...command, assignments: [], redirections: [] };
  const byName = { ...plain, words: words.length === 0 ? [] : [programOf(command), ...words.slice(1)] };
  return [command, plain, byName].some((shown) => pattern.test(showCommand(shown)));
}

/**
 * Tests an allowed pattern against the command as shown, with its assignments. Output files are allowed only by a
 * pattern that contains `>`.
 */
export function isAllowedBy(
  pattern: { readonly text: string; readonly regExp: RegExp },
  command: SimpleCommand,
): boolean {
  const kept = command.redirections.filter(({ target }) => !HARMLESS_FILES.test(target));
  const writes = kept.some(({ direction }) => direction === 'write');
  if (writes && !pattern.text.includes('>')) return false;
  return pattern.regExp.test(showCommand({ ...command, redirections: kept }));
}

const HARMLESS_FILES = /^\/dev\/(null|stdout|stderr|tty)$/;
