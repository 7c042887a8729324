import { programOf, type SimpleCommand } from '../shell/simple-command.ts';
import { isCertain, UNKNOWN, type Word } from '../shell/word.ts';
import type { DenyRule, Finding } from './deny-rule.ts';

const BY_NAME = new Set(['pkill', 'killall', 'killall5', 'skill', 'slay', 'xkill']);

/** Programs that list processes which others have started. */
const FINDERS = new Set(['pgrep', 'pidof', 'ps', 'lsof', 'fuser', 'ss', 'netstat', 'top']);

/** Ends processes by a name that other processes may share, or all at once. */
export const killByName: DenyRule = {
  name: 'kill-by-name',
  what: 'an attempt to end processes by name, regardless of who started them',
  hint: 'Use kill_process with the id from list_processes: it ends one process with all that it started.',
  finds: (command, all) => {
    const { words } = command;
    const program = programOf(command);
    if (BY_NAME.has(program)) return readByName(words);
    if (program === 'taskkill') return words.some((word) => /^[/-]im$/i.test(word)) ? 'yes' : 'no';
    if (program === 'fuser') return words.some((word) => /^(-\w*k\w*|--kill)$/.test(word)) ? 'yes' : 'no';
    return program === 'kill' ? readKill(words.slice(1), all) : 'no';
  },
};

/** Classifies kills by name. Signal 0 only tests; children of one process are specific, except those of process 1. */
function readByName(words: readonly Word[]): Finding {
  const text = words.slice(1).join(' ');
  if (/(^| )(-0|(-s|--signal)[ =]?0|-l|--list)( |$)/.test(text)) return 'no';
  const [, parents] = /(?:^| )(?:-P|--parent)[ =]?([^ ]+)/.exec(text) ?? [];
  const isOwn = parents?.split(',').every((id) => id !== '0' && id !== '1') === true;
  return isOwn && programOf({ words }) === 'pkill' ? 'maybe' : 'yes';
}

/** Reads a call of kill(1): −1 means all processes, 1 the first process of the machine. */
function readKill(args: readonly Word[], all: readonly SimpleCommand[]): Finding {
  const start = /^-[A-Za-z0-9]/.test(args[0] ?? '') ? (/^-[sn]$/.test(args[0] ?? '') ? 2 : 1) : 0;
  const targets = args.slice(start).filter((word) => word !== '--');
  if (targets.some((word) => word === '-1' || word === '1')) return 'yes';
  if (targets.every(isCertain)) return 'no';
  const fromElsewhere = targets.includes(UNKNOWN + UNKNOWN) && all.some((other) => isXargs(other));
  return fromElsewhere || all.some((other) => FINDERS.has(programOf(other))) ? 'maybe' : 'no';
}

function isXargs(command: SimpleCommand): boolean {
  return ['xargs', 'parallel'].includes(programOf(command));
}
