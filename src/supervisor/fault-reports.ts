import type { Clock } from '../clock/clock.ts';
import { toErrorText } from '../config/error-text.ts';

const EVERY_MS = 1_000;

/** Faults of so many kinds are told apart. */
const MAX_KINDS = 100;

/**
 * Publishes faults: the first of a kind at once, and those that follow as one event a second with their number. What cannot be read is looked at
 * many times a second for each process, and each look would be an event.
 */
export function createFaultReports({
  clock,
  publish,
}: {
  readonly clock: Clock;
  readonly publish: (fault: { readonly error: unknown; readonly times: number }) => void;
}): (error: unknown) => void {
  /** By kind, how often each has come since it was told. */
  const waiting = new Map<string, { error: unknown; times: number }>();

  const tellLater = (kind: string) =>
    clock.at(
      clock.nowMs() + EVERY_MS,
      () => {
        const fault = waiting.get(kind);
        waiting.delete(kind);
        if (fault === undefined || fault.times === 0) return;
        begin(kind, fault.error);
        publish(fault);
      },
      { idle: true },
    );
  const begin = (kind: string, error: unknown) => {
    waiting.set(kind, { error, times: 0 });
    tellLater(kind);
  };

  return (error) => {
    const kind = kindOf(error);
    const fault = waiting.get(kind);
    if (fault !== undefined) {
      fault.error = error;
      fault.times += 1;
      return;
    }
    if (waiting.size < MAX_KINDS) begin(kind, error);
    publish({ error, times: 1 });
  };
}

/** Errors of the system name a file, which is another one each time. */
function kindOf(error: unknown): string {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return syscall === undefined ? toErrorText(error) : `${code} ${syscall}`;
}
