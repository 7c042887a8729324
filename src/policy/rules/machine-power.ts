import { programOf } from '../shell/simple-command.ts';
import { isCertain } from '../shell/word.ts';
import type { DenyRule, Finding } from './deny-rule.ts';

const SWITCHES = new Set(['shutdown', 'reboot', 'poweroff', 'halt']);

const VERBS = new Set([
  'poweroff',
  'reboot',
  'halt',
  'kexec',
  'soft-reboot',
  'suspend',
  'hibernate',
  'hybrid-sleep',
  'rescue',
  'emergency',
  'reboot.target',
  'poweroff.target',
  'halt.target',
]);

/** Turns the machine off or restarts it. */
export const machinePower: DenyRule = {
  name: 'machine-power',
  what: 'an order to turn off or restart the machine',
  hint: 'Ask the user to do that.',
  finds: ({ words, redirections }) => {
    const program = programOf({ words });
    if (SWITCHES.has(program)) return 'yes';
    if (redirections.some(({ target }) => target === '/proc/sysrq-trigger')) return 'yes';
    if (program === 'systemctl' || program === 'loginctl') return readWords(words, VERBS);
    if (program === 'init' || program === 'telinit') return readWords(words, new Set(['0', '6']));
    if (program === 'tee' && words.includes('/proc/sysrq-trigger')) return 'yes';
    return 'no';
  },
};

function readWords(words: readonly string[], denied: ReadonlySet<string>): Finding {
  const [, ...args] = words;
  if (args.some((word) => denied.has(word))) return 'yes';
  return args.every(isCertain) ? 'no' : 'maybe';
}
