import { programOf } from '../shell/simple-command.ts';
import { isCertain, mayBeOption, UNKNOWN_WORDS, type Word } from '../shell/word.ts';
import type { DenyRule, Finding } from './deny-rule.ts';

/** Deletes whole trees without a question: `rm -rf` in any spelling, and equivalent commands. */
export const recursiveForcedDelete: DenyRule = {
  name: 'recursive-forced-delete',
  what: 'a recursive forced delete',
  hint: 'Delete the files by name, or one directory with `rm -r`.',
  finds: (command) => {
    const { words } = command;
    switch (programOf(command)) {
      case 'rm':
      case 'grm':
      case 'srm':
        return readRm(words);
      case 'rimraf':
      case 'deltree':
        return 'yes';
      case 'find':
      case 'gfind':
        return readFind(words);
      case 'git':
        return readGitClean(words);
      case 'rd':
      case 'rmdir':
      case 'del':
      case 'erase':
        return words.some((word) => /^\/s$/i.test(word)) ? 'yes' : 'no';
      case 'remove-item':
      case 'ri':
        return words.some((word) => /^-r/i.test(word)) && words.some((word) => /^-fo/i.test(word))
          ? 'yes'
          : 'no';
      default:
        return 'no';
    }
  },
};

/** getopt_long(3) takes options behind operands, too, and long ones cut short. */
function readRm(words: readonly Word[]): Finding {
  const end = words.indexOf('--');
  const options = (end === -1 ? words : words.slice(0, end)).slice(1);
  const has = (letters: RegExp, long: string) =>
    options.some((word) => {
      if (word.startsWith('--')) return word.length > 2 && long.startsWith(word);
      return /^-[^-]/.test(word) && letters.test(word);
    });
  if (has(/[rR]/, '--recursive') && has(/f/, '--force')) return 'yes';
  return options.some(mayAddOption) && !isHarmless(words) ? 'maybe' : 'no';
}

function mayAddOption(word: Word): boolean {
  return mayBeOption(word) || /^-.*[\0*?[]/.test(word);
}

/** Tells whether nothing is deleted: with one word beside the options, that word is the whole target. */
function isHarmless(words: readonly Word[]): boolean {
  const rest = words.slice(1).filter((word) => !/^-/.test(word) || !isCertain(word));
  return rest.length <= 1 && rest.every((word) => !word.includes(UNKNOWN_WORDS));
}

const NAME_TESTS = ['-name', '-iname', '-path', '-ipath', '-wholename', '-regex', '-iregex'];
const OTHER_TESTS = /^-(empty|newer\w*|[acm]time|[acm]min|size|user|group|perm|links|inum)$/;

/** `find` without a test deletes all that it walks over. */
function readFind(words: readonly Word[]): Finding {
  if (!deletes(words)) return words.some((word, index) => mayDelete(word, words[index - 1])) ? 'maybe' : 'no';
  const names = words.filter((_, index) => NAME_TESTS.includes(words[index - 1] ?? ''));
  if (names.some((name) => /[\w]/.test(name))) return 'no';
  return words.some((word) => OTHER_TESTS.test(word)) ? 'maybe' : 'yes';
}

/** Tells whether an unknown word may be an action rather than the argument of a test. */
function mayDelete(word: Word, before: Word | undefined): boolean {
  return (
    mayAddOption(word) &&
    !isCertain(word) &&
    !/^-\w*(name|path|regex|time|min|size|newer|type|user|group|perm|maxdepth|mindepth)$/.test(before ?? '')
  );
}

function deletes(words: readonly Word[]): boolean {
  return words.some((word, index) => {
    if (word === '-delete') return true;
    const runs = /^-(exec|execdir)$/.test(word);
    return runs && ['rm', 'unlink', 'shred'].includes(programOf({ words: words.slice(index + 1) }));
  });
}

/** Reads a call of git: `git clean -fd` deletes untracked trees, of which there is no copy, but no tracked ones. */
function readGitClean(words: readonly Word[]): Finding {
  if (!words.includes('clean')) return 'no';
  const has = (letters: RegExp, long: string) =>
    words.some((word) => word === long || (/^-[^-]/.test(word) && letters.test(word)));
  return has(/f/, '--force') && has(/[dxX]/, '-d') ? 'maybe' : 'no';
}
