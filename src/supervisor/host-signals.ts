import { constants } from 'node:os';
import type { Cancel } from '../clock/clock.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Ends this program in order when it is told to end or when it breaks: first the processes, then itself, with the exit
 * code it would have had. A second signal ends it at once; what then is left is the watchdog's.
 */
export function installHostSignals(shutdown: () => Promise<unknown>): Cancel {
  let isEnding = false;
  const end = (exitCode: number) => {
    if (isEnding) process.exit(exitCode);
    isEnding = true;
    void shutdown().finally(() => process.exit(exitCode));
  };
  const onSignal = (signal: (typeof SIGNALS)[number]) => end(128 + constants.signals[signal]);
  const onException = (error: unknown) => {
    console.error(error);
    end(1);
  };

  for (const signal of SIGNALS) process.on(signal, onSignal);
  process.on('uncaughtException', onException);
  return () => {
    for (const signal of SIGNALS) process.off(signal, onSignal);
    process.off('uncaughtException', onException);
  };
}
