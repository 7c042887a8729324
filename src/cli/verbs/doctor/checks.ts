import { dirname } from 'node:path';
import { toErrorText } from '../../../config/error-text.ts';

/** The result of one check. `warn`: something optional is missing; `fail`: troupe cannot work. */
export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  /** The finding, in words. */
  readonly says: string;
  /** The remedy; `null` where none is needed. */
  readonly advice: string | null;
}

/** The machine as the checks see it. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  readonly nodeVersion: string;
  /** Returns the path of a program on the PATH, or `null`. */
  find(program: string): string | null;
  canRead(path: string): boolean;
  /** Returns why cgroups are unavailable, as a clause; `null` if they are available. */
  cgroupProblem(): string | null;
  /** The number of files that this program may have open; `null`: unlimited or unknown. */
  readonly openFiles: number | null;
  readonly stateDirectory: string;
  /** `null` where it does not exist. */
  lookAt(directory: string): { readonly mode: number; readonly isOwn: boolean } | null;
  canWrite(directory: string): boolean;
  /** The version as tmux prints it, such as `tmux 3.4`; `null` where it cannot be run. */
  tmuxVersion(): string | null;
  /** Says why no terminal can be created without tmux; `null` where it can. */
  ptyProblem(): Promise<string | null>;
  /** The missing parts of the sandbox; `null` where its package is not installed. */
  sandboxErrors(): Promise<readonly string[] | null>;
  /** The live supervisors of the state directory. */
  supervisors(): Promise<readonly { readonly pid: number; readonly role: 'program' | 'daemon' }[]>;
}

/** Below this, a hundred processes with their pipes and logs run out of files. */
const ENOUGH_FILES = 1_024;

const LEAST_NODE = [22, 12] as const;

/** The oldest version that the tmux backend supports. */
const LEAST_TMUX = [3, 3] as const;

/** Checks everything that troupe needs or can use. Never rejects. */
export async function runChecks(machine: Machine): Promise<readonly Check[]> {
  return [
    checkNode(machine),
    checkPlatform(machine),
    ...checkProcessTable(machine),
    ...checkPrograms(machine),
    checkTmux(machine),
    await checkPty(machine),
    checkOpenFiles(machine),
    checkStateDirectory(machine),
    await checkSupervisors(machine),
    await checkSandbox(machine),
  ];
}

function checkNode({ nodeVersion }: Machine): Check {
  const [major = 0, minor = 0] = nodeVersion.split('.').map(Number);
  const isEnough = major > LEAST_NODE[0] || (major === LEAST_NODE[0] && minor >= LEAST_NODE[1]);
  return isEnough
    ? ok('node', nodeVersion)
    : fail('node', nodeVersion, 'Install Node 22.12 or newer: https://nodejs.org');
}

function checkPlatform({ platform, arch }: Machine): Check {
  const says = `${platform} ${arch}`;
  if (platform === 'linux') return ok('platform', says);
  if (platform === 'win32') return fail('platform', says, 'Run it in WSL, the Linux inside of Windows.');
  return warn(
    'platform',
    says,
    'troupe is tested on Linux. It is written for macOS, but was never run there.',
  );
}

/** Checks the source of the process table: without it no tree is known, and no end can be proven. */
function checkProcessTable(machine: Machine): readonly Check[] {
  if (machine.platform !== 'linux') {
    return [
      need(machine, {
        program: 'ps',
        state: 'fail',
        why: 'processes cannot be told from each other without it',
      }),
      need(machine, { program: 'lsof', state: 'warn', why: '"ready: port" cannot see who listens' }),
    ];
  }
  const isThere = machine.canRead('/proc/self/stat') && machine.canRead('/proc/self/environ');
  return [
    isThere
      ? ok('/proc', 'is readable')
      : fail('/proc', 'cannot be read', 'Mount it: mount -t proc proc /proc'),
    checkCgroups(machine),
  ];
}

/** Checks cgroups: without them a descendant can hide. */
function checkCgroups({ cgroupProblem }: Machine): Check {
  const problem = cgroupProblem();
  if (problem === null) return ok('cgroups', 'are available: everything that a process starts is known');
  return warn(
    'cgroups',
    `are unavailable (${problem}): a program that leaves its session and its environment may get away`,
    'Run it in a delegated cgroup: systemd-run --user --scope -p Delegate=yes …',
  );
}

function checkPrograms(machine: Machine): readonly Check[] {
  const { platform } = machine;
  return [
    need(machine, { program: 'sh', state: 'fail', why: 'the watchdog is a script for it' }),
    need(machine, { program: 'bash', state: 'warn', why: 'commands given as text run in sh' }),
    ...(platform === 'linux'
      ? [
          need(machine, {
            program: 'setsid',
            state: 'warn',
            why: 'bash has to do its part for persistent processes',
            from: 'util-linux',
          }),
          need(machine, {
            program: 'fallocate',
            state: 'warn',
            why: 'large logs cannot be cut in place',
            from: 'util-linux',
          }),
          need(machine, {
            program: 'mkfifo',
            state: 'warn',
            why: 'commands cannot open /dev/stderr',
            from: 'coreutils',
          }),
        ]
      : []),
  ];
}

function need(
  { find }: Machine,
  {
    program,
    state,
    why,
    from = program,
  }: { program: string; state: 'warn' | 'fail'; why: string; from?: string },
): Check {
  const path = find(program);
  if (path !== null) return ok(program, path);
  return { name: program, state, says: `is missing: ${why}`, advice: `Install ${from}.` };
}

/** Checks tmux, whose terminals outlive the program that started them and can be seen without troupe. */
function checkTmux({ find, tmuxVersion }: Machine): Check {
  const path = find('tmux');
  const advice = `Install tmux ${LEAST_TMUX.join('.')} or newer.`;
  if (path === null)
    return warn('tmux', 'is missing: terminals end with the program that started them', advice);
  const version = tmuxVersion();
  if (version === null) return warn('tmux', `${path} cannot be run`, advice);
  const [, major, minor] = /(\d+)\.(\d+)/.exec(version) ?? [];
  const isOld =
    major !== undefined &&
    (Number(major) < LEAST_TMUX[0] || (Number(major) === LEAST_TMUX[0] && Number(minor) < LEAST_TMUX[1]));
  return isOld
    ? warn('tmux', `${version} is too old: terminals end with the program that started them`, advice)
    : ok('tmux', `${path}, ${version}`);
}

/** Checks the terminals within the program, which replace tmux where it is missing or unusable. */
async function checkPty({ ptyProblem }: Machine): Promise<Check> {
  const problem = await ptyProblem();
  return problem === null
    ? ok('pty', 'is ready')
    : warn('pty', `terminals take tmux: ${problem}`, 'npm install --include=optional troupe');
}

function checkOpenFiles({ openFiles }: Machine): Check {
  if (openFiles === null) return ok('open files', 'no limit is known');
  const says = `${openFiles} at once`;
  return openFiles >= ENOUGH_FILES
    ? ok('open files', says)
    : warn('open files', says, `Raise it before many processes are started: ulimit -n ${ENOUGH_FILES * 4}`);
}

function checkStateDirectory(machine: Machine): Check {
  const { stateDirectory: path } = machine;
  const seen = machine.lookAt(path);
  if (seen === null) {
    return machine.canWrite(dirname(path))
      ? ok('state', `${path} does not exist yet; it is created on demand`)
      : fail('state', `${path} cannot be created`, 'Name another one: --state-dir, or TROUPE_STATE_DIR.');
  }
  if (!machine.canWrite(path)) {
    return fail(
      'state',
      `${path} cannot be written`,
      'Correct its permissions, or name another one: --state-dir',
    );
  }
  if (!seen.isOwn) {
    return warn('state', `${path} belongs to another user`, 'Name one of your own: --state-dir');
  }
  const mode = `0${(seen.mode & 0o777).toString(8)}`;
  return (seen.mode & 0o077) === 0
    ? ok('state', `${path} (${mode})`)
    : warn('state', `${path} is open to others (${mode})`, `Close it: chmod 700 ${path}`);
}

async function checkSupervisors(machine: Machine): Promise<Check> {
  try {
    const alive = await machine.supervisors();
    const daemon = alive.find(({ role }) => role === 'daemon');
    const others = alive.length - (daemon === undefined ? 0 : 1);
    const more =
      others === 0
        ? ''
        : `; ${others} other ${others === 1 ? 'program supervises' : 'programs supervise'} there`;
    return ok(
      'daemon',
      daemon === undefined ? `none runs; it is started on demand${more}` : `pid ${daemon.pid}${more}`,
    );
  } catch (error) {
    return warn('daemon', toErrorText(error), null);
  }
}

async function checkSandbox(machine: Machine): Promise<Check> {
  const { platform, find } = machine;
  const errors = await machine.sandboxErrors();
  if (errors === null) {
    const bwrap = platform === 'linux' && find('bwrap') === null ? ', and bubblewrap of your system' : '';
    return warn(
      'sandbox',
      'is not installed; only agents with "sandbox" need it',
      `npm install @anthropic-ai/sandbox-runtime${bwrap}`,
    );
  }
  return errors.length === 0
    ? ok('sandbox', 'is ready')
    : warn('sandbox', errors.join('; '), 'Install what is missing.');
}

export function ok(name: string, says: string): Check {
  return { name, state: 'ok', says, advice: null };
}

export function warn(name: string, says: string, advice: string | null): Check {
  return { name, state: 'warn', says, advice };
}

export function fail(name: string, says: string, advice: string): Check {
  return { name, state: 'fail', says, advice };
}
