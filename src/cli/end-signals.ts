import { constants } from 'node:os';
import { ignoreSignal, isIgnored } from '../supervisor/host-signals.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGPIPE'] as const;

export type EndSignal = (typeof SIGNALS)[number];

/** As a shell would give it. */
export function toSignalCode(signal: EndSignal): number {
  return 128 + constants.signals[signal];
}

/**
 * Who listens to SIGPIPE gets one for each pipe that breaks, also for the input of a process that has closed it. That our own output
 * broke is emitted without a number, once its error was seen.
 */
export function isSentBySystem(number: number | undefined): boolean {
  return number !== undefined;
}

/**
 * Tells of the first signal that asks this program to end. A second one ends it at once: what its processes do then is their
 * watchdog's affair. Call the result when there is nothing to end in order any more: the signals mean what they meant before. `except` names one that means something else here.
 */
export function onEndSignal(
  tell: (signal: EndSignal) => void,
  { except = null }: { readonly except?: EndSignal | null } = {},
): () => void {
  keepIgnoringBrokenPipes();
  let hasTold = false;
  const listeners = listEndSignals()
    .filter((signal) => signal !== except)
    .map((signal) => {
      const listener = (_name: string, number?: number) => {
        // A broken pipe breaks at each write, and the system's own word may be about a process's input.
        if (signal === 'SIGPIPE' && (hasTold || isSentBySystem(number))) return;
        if (hasTold) process.exit(toSignalCode(signal));
        hasTold = true;
        tell(signal);
      };
      process.on(signal, listener);
      return { signal, listener };
    });
  return () => {
    for (const { signal, listener } of listeners) process.off(signal, listener);
  };
}

/** Tells whoever ends in order that our own output has broken. @returns whether there is somebody. */
export function emitBrokenPipe(): boolean {
  const isHeard = process.listenerCount('SIGPIPE') > (isIgnored('SIGPIPE') ? 1 : 0);
  if (isHeard) process.emit('SIGPIPE', 'SIGPIPE');
  return isHeard;
}

/**
 * Node ignores SIGPIPE, but gives it back to the system with the last listener: from then on a pipe that breaks would end the program
 * without a word. So one stays for as long as it runs.
 */
export function keepIgnoringBrokenPipes(): void {
  ignoreSignal('SIGPIPE');
}

const INHERITED = 'TROUPE_IGNORED_SIGNALS';

/**
 * Keeps those signals ignored that this program was started to ignore, as by `nohup`. They are known where `main.ts` was started as a
 * program; the variable that it passes on is removed from `env`.
 */
export function ignoreInheritedSignals(env: NodeJS.ProcessEnv): void {
  const mask = env[INHERITED];
  delete env[INHERITED];
  if (mask === undefined || !/^[\da-f]{1,16}$/.test(mask)) return;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    const bit = 1n << BigInt(constants.signals[signal] - 1);
    if ((BigInt(`0x${mask}`) & bit) !== 0n) ignoreSignal(signal);
  }
}

/** The signals that ask this program to end; those that it was started to ignore do not. */
export function listEndSignals(): readonly EndSignal[] {
  return SIGNALS.filter((signal) => signal === 'SIGPIPE' || !isIgnored(signal));
}
