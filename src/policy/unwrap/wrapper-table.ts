import type { OptionShape } from './skip-options.ts';

/** A program that runs the program which its arguments name. */
export interface Wrapper extends OptionShape {
  /** Words of its own between its options and the program. Default 0. */
  readonly operands?: number;
  /** Changes neither what the program may do nor its arguments: patterns look through it. */
  readonly isTransparent?: boolean;
  /** Passes the words to a shell, joined by blanks. */
  readonly joins?: boolean;
  /** More arguments come from elsewhere. */
  readonly appends?: boolean;
  /** An option whose value is where the program runs. */
  readonly directory?: readonly string[];
  /** An option whose value is text for a shell, or for `env` to split. */
  readonly script?: readonly string[];
  /** A letter with which the words are text for a shell. */
  readonly textLetter?: string;
  /** An option whose value is the program; the words are its arguments. */
  readonly program?: readonly string[];
  /** Options that leave no operands: the words are the program. */
  readonly directWith?: readonly string[];
}

const transparent = { isTransparent: true } as const;
const operand = { operands: 1 } as const;
const switchUser = {
  operands: 99,
  long: [
    '--command',
    '--group',
    '--session-command',
    '--shell',
    '--supp-group',
    '--user',
    '--whitelist-environment',
  ],
  script: ['-c', '--command', '--session-command'],
} as const;

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
  ionice: { ...transparent, letters: 'cnpPu', long: ['--class', '--classdata', '--pid', '--pgid', '--uid'] },
  chrt: { ...operand, letters: 'TPD', long: ['--sched-runtime', '--sched-period', '--sched-deadline'] },
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
  su: { ...switchUser, letters: 'gGsTwc' },
  runuser: { ...switchUser, letters: 'gGsTwuc', directWith: ['-u', '--user'] },
  script: { operands: 1, letters: 'EIoOTBm', script: ['-c', '--command'] },
  flock: {
    ...operand,
    letters: 'wE',
    long: ['--timeout', '--conflict-exit-code'],
    script: ['-c', '--command'],
  },
  chroot: { ...operand, long: ['--userspec', '--groups'] },
  unshare: {
    letters: 'SGRwl',
    long: [
      '--setuid',
      '--setgid',
      '--root',
      '--wd',
      '--propagation',
      '--setgroups',
      '--map-user',
      '--map-users',
      '--map-group',
      '--map-groups',
      '--monotonic',
      '--boottime',
      '--load-interp',
    ],
    directory: ['-w', '--wd'],
  },
  nsenter: { letters: 'tSGWN', long: ['--target', '--setuid', '--setgid', '--wdns', '--net-socket'] },
  setpriv: {
    long: [
      '--ambient-caps',
      '--apparmor-profile',
      '--bounding-set',
      '--egid',
      '--euid',
      '--groups',
      '--inh-caps',
      '--landlock-access',
      '--landlock-rule',
      '--pdeathsig',
      '--ptracer',
      '--regid',
      '--reuid',
      '--rgid',
      '--ruid',
      '--seccomp-filter',
      '--securebits',
      '--selinux-label',
    ],
  },
  prlimit: { letters: 'po', long: ['--pid', '--output'] },
  strace: { letters: 'abeEIoOpPsSuX' },
  ltrace: { letters: 'aAeFlnosuwxX' },
  'systemd-run': {
    letters: 'pHMuEC',
    long: [
      '--background',
      '--description',
      '--gid',
      '--host',
      '--job-mode',
      '--machine',
      '--nice',
      '--on-active',
      '--on-boot',
      '--on-calendar',
      '--on-startup',
      '--on-unit-active',
      '--on-unit-inactive',
      '--path-property',
      '--property',
      '--service-type',
      '--setenv',
      '--slice',
      '--socket-property',
      '--timer-property',
      '--uid',
      '--unit',
      '--working-directory',
    ],
    directory: ['--working-directory'],
  },
  'systemd-inhibit': { long: ['--what', '--who', '--why', '--mode'] },
  'dbus-run-session': { long: ['--config-file', '--dbus-daemon'] },
  fakeroot: { letters: 'lfsib', long: ['--lib', '--faked'] },
  'start-stop-daemon': {
    letters: 'pxnacgurdNPIksRKoO',
    long: [
      '--background-close',
      '--chdir',
      '--chroot',
      '--chuid',
      '--exec',
      '--group',
      '--iosched',
      '--name',
      '--nicelevel',
      '--notify-timeout',
      '--output',
      '--pid',
      '--pidfile',
      '--ppid',
      '--procsched',
      '--retry',
      '--signal',
      '--startas',
      '--umask',
      '--user',
    ],
    directory: ['-d', '--chdir'],
    program: ['-a', '--startas', '-x', '--exec'],
  },
  rlwrap: { letters: 'bCDfgHlMOPqsStwz' },
  proxychains: { letters: 'f' },
  proxychains4: { letters: 'f' },
  torsocks: { letters: 'aPup', long: ['--address', '--port', '--user', '--pass'] },
  winpty: {},
  entr: { textLetter: 's' },
  npx: { letters: 'pw', long: ['--package', '--workspace'], script: ['-c', '--call'] },
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
