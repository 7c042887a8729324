import { programOf } from '../shell/simple-command.ts';
import type { DenyRule } from './deny-rule.ts';

const FORMATTERS = new Set(['diskpart', 'format', 'mke2fs', 'mkdosfs', 'mkntfs', 'mkswap', 'newfs', 'mkfs']);

/** Makes a new file system where one may be. */
export const diskFormat: DenyRule = {
  name: 'disk-format',
  what: 'the formatting of a disk',
  hint: 'Ask the user to do that.',
  finds: (command) => {
    const program = programOf(command);
    if (FORMATTERS.has(program) || /^(mkfs|newfs)[._]/.test(program)) return 'yes';
    const erases = command.words.some((word) => /^(erase|partition|reformat|zero|secureErase)/i.test(word));
    return program === 'diskutil' && erases ? 'yes' : 'no';
  },
};
