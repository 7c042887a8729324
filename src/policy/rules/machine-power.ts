import { toLexicalPaths } from '../shell/directories.ts';
import { programOf } from '../shell/simple-command.ts';
import { isCertain } from '../shell/word.ts';
import type { DenyRule, Finding } from './deny-rule.ts';
import { toWrittenPaths } from './written-paths.ts';

const SWITCHES = new Set(['shutdown', 'reboot', 'poweroff', 'halt', 'pm-suspend', 'pm-hibernate']);

/** Files of the kernel to which such an order is written. */
const FILES = ['/proc/sysrq-trigger', '/sys/power/state', '/sys/power/disk'];

/** Programs that call methods by D-Bus, and the methods of systemd and logind. */
const CALLERS = ['busctl', 'dbus-send', 'gdbus', 'qdbus', 'qdbus6'];
const METHODS =
  /(^|\.)(PowerOff|Reboot|Halt|KExec|SoftReboot|Suspend|Hibernate|HybridSleep|SuspendThenHibernate|ScheduleShutdown)(WithFlags)?$/i;

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
  finds: (command) => {
    const { words, directories } = command;
    const program = programOf(command);
    if (SWITCHES.has(program)) return 'yes';
    const written = toWrittenPaths(command).flatMap((path) => toLexicalPaths(path, directories));
    if (written.some((path) => FILES.includes(path))) return 'yes';
    if (program === 'kexec')
      return words.some((word) => /^(-[a-z]*[ef]|--exec|--force)$/.test(word)) ? 'yes' : 'no';
    if (CALLERS.includes(program)) return words.some((word) => METHODS.test(word)) ? 'yes' : 'no';
    if (program === 'systemctl' || program === 'loginctl') return readWords(words, VERBS);
    if (program === 'init' || program === 'telinit') return readWords(words, new Set(['0', '6']));
    return 'no';
  },
};

function readWords(words: readonly string[], denied: ReadonlySet<string>): Finding {
  const [, ...args] = words;
  if (args.some((word) => denied.has(word))) return 'yes';
  return args.every(isCertain) ? 'no' : 'maybe';
}
