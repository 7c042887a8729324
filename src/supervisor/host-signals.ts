import { constants } from 'node:os';
import type { Cancel } from '../clock/clock.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Ignores a signal while this program runs: it ends neither a supervisor nor the program. */
export function ignoreSignal(signal: NodeJS.Signals): void {
  if (!isIgnored(signal)) process.on(signal, ignore);
}

export function isIgnored(signal: NodeJS.Signals): boolean {
  return process.listeners(signal).includes(ignore);
}

function ignore(): void {}

/** Marks the listeners of all supervisors in one program. */
const ownListener = Symbol.for('troupe.host-signal');

/**
 * Shuts down on a signal or an uncaught exception, then exits with the exit code that the program would have had. A second signal exits
 * at once and leaves the rest to the watchdog. Exceptions during the shutdown are only printed. With several supervisors the last one
 * exits.
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

  Object.assign(onSignal, { [ownListener]: true });
  for (const signal of SIGNALS) if (!isIgnored(signal)) process.on(signal, onSignal);
  process.on('uncaughtException', onException);
  return remove;
}

function isOurs(listener: object): boolean {
  return ownListener in listener;
}
