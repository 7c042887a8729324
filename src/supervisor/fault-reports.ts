import type { Clock } from '../clock/clock.ts';
import { toErrorText } from '../config/error-text.ts';

const EVERY_MS = 1_000;

/** Maximum number of kinds that are counted apart. */
const MAX_KINDS = 100;

/**
 * Publishes faults: the first of a kind at once, and those that follow as one event a second with their number. An unreadable file alone
 * may fail many times a second for each process.
 */
export function createFaultReports({
  clock,
  publish,
}: {
  readonly clock: Clock;
  readonly publish: (fault: { readonly error: unknown; readonly times: number }) => void;
}): (error: unknown) => void {
  /** Faults since the last event, by kind. */
  const waiting = new Map<string, { error: unknown; times: number }>();

  const publishLater = (kind: string) =>
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
    publishLater(kind);
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

/** The message of a system error names a file, which differs each time. */
function kindOf(error: unknown): string {
  const { code, syscall } = (error ?? {}) as NodeJS.ErrnoException;
  return syscall === undefined ? toErrorText(error) : `${code} ${syscall}`;
}
