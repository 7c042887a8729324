import { constants } from 'node:os';
import type { Cancel } from '../clock/clock.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ignores a signal for as long as this program runs: it ends neither a supervisor nor the program. */
export function ignoreSignal(signal: NodeJS.Signals): void {
  if (!isIgnored(signal)) process.on(signal, ignore);
}

export function isIgnored(signal: NodeJS.Signals): boolean {
  return process.listeners(signal).includes(ignore);
}

function ignore(): void {}

/** Marks our listeners, so that several supervisors in one program know of each other's. */
const mark = Symbol.for('troupe.host-signal');

/**
 * Ends this program in order when it is told to end or when it breaks: first the processes, then itself, with the exit
 * code it would have had. A second signal ends it at once; what then is left is the watchdog's. What breaks while the
 * end is under way is printed and changes nothing. With several supervisors the last one to be done ends the program.
 */
export function installHostSignals(shutdown: () => Promise<unknown>): Cancel {
  let isEnding = false;
  const end = (exitCode: number) => {
    isEnding = true;
    void shutdown().finally(() => {
      remove();
      if (!SIGNALS.some((signal) => process.listeners(signal).some(isOurs))) process.exit(exitCode);
    });
  };
  const onSignal = (signal: (typeof SIGNALS)[number]) => {
    const exitCode = 128 + constants.signals[signal];
    if (isEnding) process.exit(exitCode);
    else end(exitCode);
  };
  const onException = (error: unknown) => {
    console.error(error);
    if (!isEnding) end(1);
  };
  const remove = () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
    process.off('uncaughtException', onException);
  };

  Object.assign(onSignal, { [mark]: true });
  for (const signal of SIGNALS) if (!isIgnored(signal)) process.on(signal, onSignal);
  process.on('uncaughtException', onException);
  return remove;
}

function isOurs(listener: object): boolean {
  return mark in listener;
}
