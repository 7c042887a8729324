import { constants } from 'node:os';

/** Name of a signal as `toSignalName` gives it. */
export type SignalName = NodeJS.Signals | `SIGRT${string}`;

/** Signals that do not end a program that leaves them to the system: they halt it, continue it, or do nothing; signal(7). */
const otherSignals = [
  ...(['SIGSTOP', 'SIGTSTP', 'SIGTTIN', 'SIGTTOU', 'SIGCONT'] as const),
  ...(['SIGCHLD', 'SIGURG', 'SIGWINCH', 'SIGINFO'] as const),
];

/** Signal that ends a program that leaves it to the system. A kill begins with one of them. */
export type EndingSignal = Exclude<NodeJS.Signals, (typeof otherSignals)[number]>;

/** Names of all signals that Node knows on this system. */
export const signalNames = Object.keys(constants.signals) as readonly NodeJS.Signals[];

export function isEndingSignal(name: string): name is EndingSignal {
  return Object.hasOwn(constants.signals, name) && !(otherSignals as readonly string[]).includes(name);
}

const names = new Map<number, SignalName>();
// The first of several names for one number is the usual one: SIGABRT, not SIGIOT.
for (const [name, number] of Object.entries(constants.signals))
  if (!names.has(number)) names.set(number, name as SignalName);

/** First real-time signal that glibc leaves to programs; signal(7). */
const SIGRTMIN = 34;
const SIGRTMAX = 64;

/**
 * Returns the name of a signal as `kill -l` prints it: `SIGRTMIN+6` for a real-time one, which `node:os` does not know. `null`
 * for a number without a signal.
 */
export function toSignalName(number: number): SignalName | null {
  const name = names.get(number);
  if (name !== undefined) return name;
  if (number < SIGRTMIN || number > SIGRTMAX) return null;
  return number === SIGRTMIN ? 'SIGRTMIN' : `SIGRTMIN+${number - SIGRTMIN}`;
}

/** Returns the number of a signal by the name that `toSignalName` gives; `null` where this system has none. */
export function toSignalNumber(name: SignalName): number | null {
  const realTime = /^SIGRTMIN(?:\+(\d+))?$/.exec(name);
  if (realTime !== null) return SIGRTMIN + Number(realTime[1] ?? 0);
  return (constants.signals as Readonly<Record<string, number>>)[name] ?? null;
}

/** Returns 128 plus the number of a signal, as a shell does. A signal without a number on this system counts as 0. */
export function toSignalCode(signal: SignalName): number {
  return 128 + (toSignalNumber(signal) ?? 0);
}
