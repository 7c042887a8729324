import { programOf, type SimpleCommand, showCommand } from '../shell/simple-command.ts';

/** A user's pattern: `*` is any text, also none, `?` one character, everything else itself. */
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

/** A denied program is denied under any path; assignments and redirections hide nothing. */
export function isDeniedBy(pattern: RegExp, command: SimpleCommand): boolean {
  const { words } = command;
  const plain = { ...command, assignments: [], redirections: [] };
  const byName = { ...plain, words: words.length === 0 ? [] : [programOf(command), ...words.slice(1)] };
  return [command, plain, byName].some((shown) => pattern.test(showCommand(shown)));
}

/**
 * What is allowed is the command as it is shown, with its assignments. A file that it writes into is allowed only by a pattern that
 * has a `>` itself.
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
