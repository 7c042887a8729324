import { toLexicalPaths } from '../shell/directories.ts';
import { programOf } from '../shell/simple-command.ts';
import { isCertain, UNKNOWN } from '../shell/word.ts';
import type { DenyRule } from './deny-rule.ts';

const HARMLESS = /^\/dev\/(null|zero|full|random|urandom|stdout|stderr|tty|fd\/.*|shm\/.*|pts\/.*)$/;

/** `dd` to a device, except harmless ones. */
export const ddToDevice: DenyRule = {
  name: 'dd-to-device',
  what: 'dd onto a device',
  hint: 'Let dd write into a file.',
  finds: (command) => {
    const { words, directories } = command;
    if (!['dd', 'gdd', 'dcfldd', 'dc3dd'].includes(programOf(command))) return 'no';
    const targets = words.flatMap((word) => (/^of=/.test(word) ? [word.slice(3)] : []));
    const paths = targets.flatMap((target) => toLexicalPaths(target, directories));
    if (paths.some((path) => path.startsWith('/dev/') && isCertain(path) && !HARMLESS.test(path)))
      return 'yes';
    const isUnclear = words.some((word) => /^(of=)?\0/.test(word) || /^of=\/(\0|dev\/?\0)/.test(word));
    return isUnclear || paths.some((path) => path.startsWith(`/dev/${UNKNOWN}`)) ? 'maybe' : 'no';
  },
};
