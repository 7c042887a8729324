import { programOf } from '../shell/simple-command.ts';
import type { DenyRule } from './deny-rule.ts';

const FORMATTERS = new Set([
  'diskpart',
  'format',
  'mke2fs',
  'mkdosfs',
  'mkntfs',
  'mkswap',
  'newfs',
  'mkfs',
  'mkudffs',
  'mkreiserfs',
  'mkexfatfs',
  'mkhfs',
  'sg_format',
  'sg_sanitize',
]);

/** Verbs of nvme(1) that erase or overwrite. */
const NVME = /^(format|sanitize|write|write-zeroes|write-uncor|dsm|delete-ns|zns|fw-download)$/;

/** Makes a new file system where one may be. */
export const diskFormat: DenyRule = {
  name: 'disk-format',
  what: 'the formatting of a disk',
  hint: 'Ask the user to do that.',
  finds: (command) => {
    const program = programOf(command);
    if (FORMATTERS.has(program) || /^(mkfs|newfs)[._]/.test(program)) return 'yes';
    if (program === 'nvme') return command.words.some((word) => NVME.test(word)) ? 'yes' : 'no';
    const erases = command.words.some((word) => /^(erase|partition|reformat|zero|secureErase)/i.test(word));
    return program === 'diskutil' && erases ? 'yes' : 'no';
  },
};
