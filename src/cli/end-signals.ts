import { constants } from 'node:os';
import { ignoreSignal, isIgnored } from '../supervisor/host-signals.ts';
import { toSignalCode } from './exit-codes.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGPIPE'] as const;

export type EndSignal = (typeof SIGNALS)[number];

/**
 * Tells whether SIGPIPE came from the system, which sends it for every broken pipe, including the input of a process. `emitBrokenPipe`
 * emits it without a number when the output of this program has broken.
 */
export function isSentBySystem(number: number | undefined): boolean {
  return number !== undefined;
}

/**
 * Calls `onSignal` with the first signal that asks this program to end. A second one exits at once, and the watchdog ends the processes.
 * The returned function removes the listeners. `except` names a signal that is not listened to.
 */
export function onEndSignal(
  onSignal: (signal: EndSignal) => void,
  { except = null }: { readonly except?: EndSignal | null } = {},
): () => void {
  keepIgnoringBrokenPipes();
  let hasEnded = false;
  const listeners = listEndSignals()
    .filter((signal) => signal !== except)
    .map((signal) => {
      const listener = (_name: string, number?: number) => {
        // Every write to a broken pipe raises it again, and one from the system may concern the input of a process.
        if (signal === 'SIGPIPE' && (hasEnded || isSentBySystem(number))) return;
        if (hasEnded) process.exit(toSignalCode(signal));
        hasEnded = true;
        onSignal(signal);
      };
      process.on(signal, listener);
      return { signal, listener };
    });
  return () => {
    for (const { signal, listener } of listeners) process.off(signal, listener);
  };
}

/** Emits SIGPIPE because the output of this program has broken. @returns whether a listener received it. */
export function emitBrokenPipe(): boolean {
  const isReceived = process.listenerCount('SIGPIPE') > (isIgnored('SIGPIPE') ? 1 : 0);
  if (isReceived) process.emit('SIGPIPE', 'SIGPIPE');
  return isReceived;
}

/**
 * Keeps a listener for SIGPIPE until the program ends. Node ignores SIGPIPE, but restores the system's default when the last listener is
 * removed: after that, a broken pipe would end the program silently.
 */
export function keepIgnoringBrokenPipes(): void {
  ignoreSignal('SIGPIPE');
}

const INHERITED = 'TROUPE_IGNORED_SIGNALS';

/**
 * Ignores the signals that were ignored when this program was started, for example by `nohup`. The shell line in `main.ts` passes them in
 * a variable, which is removed from `env`.
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

/** Lists the signals that ask this program to end, except those it was started to ignore. */
export function listEndSignals(): readonly EndSignal[] {
  return SIGNALS.filter((signal) => signal === 'SIGPIPE' || !isIgnored(signal));
}
