/** Fields of `/proc/<pid>/stat` that matter here; numbers as in proc_pid_stat(5). */
export interface StatLine {
  readonly pid: number;
  readonly name: string;
  readonly ppid: number;
  readonly pgid: number;
  readonly sid: number;
  /** Field 22, clock ticks after boot. */
  readonly startTicks: string;
  /** `D` waits in the kernel, `Z` has ended, and so on. */
  readonly state: string;
  readonly alive: boolean;
  readonly stopped: boolean;
  /** True for a thread that is not the first of its process: `/proc/<tid>` opens although no listing shows it. */
  readonly thread: boolean;
  /** True for a kernel thread, which has no memory and so no environment. */
  readonly kernelThread: boolean;
  /** True if the process was started with an empty environment. In the middle of `execve` the environment is only not in place yet. */
  readonly environmentIsEmpty: boolean;
}

const kernelThreadFlag = 0x0020_0000;

/** Parses a stat line. A name may contain blanks and parentheses, so the fields are counted after the last `)`. */
export function parseStatLine(text: string): StatLine | null {
  const nameEnd = text.lastIndexOf(')');
  const nameStart = text.indexOf('(');
  if (nameStart === -1 || nameEnd < nameStart) return null;
  const fields = text.slice(nameEnd + 2).split(' ');
  const field = (number: number): string => fields[number - 3] ?? '0';

  const state = field(3);
  // A first thread that has ended while others of its process run is shown as a zombie, too.
  const dead = (state === 'Z' || state === 'X' || state === 'x') && Number(field(20)) <= 1;
  return {
    pid: Number(text.slice(0, nameStart - 1)),
    name: text.slice(nameStart + 1, nameEnd),
    ppid: Number(field(4)),
    pgid: Number(field(5)),
    sid: Number(field(6)),
    startTicks: field(22),
    state,
    alive: !dead,
    stopped: state === 'T',
    thread: field(38) === '-1',
    kernelThread: (Number(field(9)) & kernelThreadFlag) !== 0,
    environmentIsEmpty: field(51) !== '0' && field(50) === field(51),
  };
}

/** Clock tick of `/proc/<pid>/stat`; USER_HZ is 100 wherever Linux runs. */
const TICK_MS = 10;
const exitingFlag = 0x4;

/**
 * Returns the CPU time of an exiting process and of the children that it has waited for (fields 14 to 17), in steps of 10 ms. Returns `null`
 * for a process that is not exiting: its time is not final.
 */
export function toFinalCpuMs(text: string): number | null {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state = ''] = fields;
  const isExiting = 'ZXx'.includes(state) || (Number(fields[9 - 3]) & exitingFlag) !== 0;
  if (!isExiting) return null;
  return fields.slice(14 - 3, 18 - 3).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
}
