import type { OptionShape } from './skip-options.ts';

/** A program that runs the program which its arguments name. */
export interface Wrapper extends OptionShape {
  /** Words of its own between its options and the program. Default 0. */
  readonly operands?: number;
  /** It changes neither what the program may do nor with which arguments: patterns look through it. */
  readonly isTransparent?: boolean;
  /** It hands the words to a shell, joined by blanks. */
  readonly joins?: boolean;
  /** More arguments come from elsewhere. */
  readonly appends?: boolean;
  /** An option whose value is where the program runs. */
  readonly directory?: readonly string[];
  /** An option whose value is text for a shell, or for `env` to split. */
  readonly script?: readonly string[];
}

const transparent = { isTransparent: true } as const;
const operand = { operands: 1 } as const;

export const wrappers: Readonly<Record<string, Wrapper>> = {
  builtin: transparent,
  command: transparent,
  coproc: transparent,
  exec: { ...transparent, letters: 'a' },
  nohup: transparent,
  setsid: transparent,
  nice: { ...transparent, letters: 'n', long: ['--adjustment'] },
  time: { ...transparent, letters: 'fo', long: ['--format', '--output'] },
  timeout: { ...transparent, ...operand, letters: 'sk', long: ['--signal', '--kill-after'] },
  gtimeout: { ...transparent, ...operand, letters: 'sk', long: ['--signal', '--kill-after'] },
  stdbuf: { ...transparent, letters: 'ioe', long: ['--input', '--output', '--error'] },
  ionice: { ...transparent, letters: 'cnpPu', long: ['--class', '--classdata'] },
  chrt: { ...operand, letters: 'TPD' },
  taskset: operand,
  unbuffer: {},
  caffeinate: { letters: 'tw' },
  '-': {},
  env: {
    letters: 'uCS',
    long: ['--unset', '--chdir', '--split-string'],
    assignments: true,
    directory: ['-C', '--chdir'],
    script: ['-S', '--split-string'],
  },
  sudo: {
    letters: 'aCcDghpRrTtUu',
    long: [
      '--user',
      '--group',
      '--host',
      '--prompt',
      '--chdir',
      '--chroot',
      '--close-from',
      '--role',
      '--type',
    ],
    assignments: true,
    directory: ['-D', '--chdir'],
  },
  doas: { letters: 'uCa', assignments: true },
  pkexec: { long: ['--user'] },
  gosu: operand,
  'su-exec': operand,
  su: { operands: 99, letters: 'gGsTw', long: ['--shell', '--group'], script: ['-c', '--command'] },
  runuser: { operands: 99, letters: 'gGsTwu', long: ['--shell', '--group'], script: ['-c', '--command'] },
  script: { operands: 1, letters: 'EIoOTBm', script: ['-c', '--command'] },
  flock: {
    ...operand,
    letters: 'wE',
    long: ['--timeout', '--conflict-exit-code'],
    script: ['-c', '--command'],
  },
  chroot: operand,
  unshare: { letters: 'SGRw' },
  nsenter: { letters: 'tSGrw' },
  setpriv: {},
  prlimit: {},
  strace: { letters: 'abeEIoOpPsSuX' },
  ltrace: { letters: 'aAeFlnosuwxX' },
  'systemd-run': { letters: 'pHMtuE', long: ['--unit', '--property', '--slice'] },
  'systemd-inhibit': {},
  'dbus-run-session': {},
  fakeroot: {},
  rlwrap: {},
  proxychains: { letters: 'f' },
  proxychains4: { letters: 'f' },
  torsocks: {},
  winpty: {},
  entr: {},
  npx: { letters: 'p', long: ['--package'], script: ['-c', '--call'] },
  bunx: {},
  busybox: {},
  toybox: {},
  xargs: {
    appends: true,
    letters: 'adEIJLnPRSs',
    long: [
      '--arg-file',
      '--delimiter',
      '--max-lines',
      '--max-args',
      '--max-procs',
      '--max-chars',
      '--process-slot-var',
    ],
  },
  parallel: {
    appends: true,
    joins: true,
    letters: 'aCdEIjLnNPSs',
    long: ['--jobs', '--delay', '--timeout', '--joblog', '--colsep', '--arg-file', '--sshlogin', '--results'],
  },
  watch: { joins: true, letters: 'nq', long: ['--interval', '--equexit'] },
  ssh: { ...operand, joins: true, letters: 'bcDEeFIiJLlmOopQRSWw' },
  eval: { joins: true },
};
