import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Cancel, Clock } from '../../clock/clock.ts';
import type { WaitSettings } from '../../config/wait-options.ts';
import type { StreamPositions } from '../../output/output-chunk.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import { poll } from '../../readiness/poll.ts';
import { outputCondition } from './output-condition.ts';
import { httpCondition, portCondition, portFreeCondition } from './port-conditions.ts';
import { inputCondition, readyCondition } from './view-conditions.ts';
import type { WaitCondition } from './wait-condition.ts';

/** Creates a condition for each option given; `exit` if there is none. */
export function createConditions(
  settings: WaitSettings,
  deps: {
    handle: ProcessHandle;
    clock: Clock;
    from: StreamPositions | number;
    /** The end of the process. */
    exit: WaitCondition;
  },
): readonly WaitCondition[] {
  const { handle, exit } = deps;
  const { text, pattern, quiet, port, portFree, http, file } = settings;
  const conditions = [
    ...(text === undefined ? [] : [outputCondition({ type: 'text', text }, deps)]),
    ...(pattern === undefined ? [] : [outputCondition({ type: 'pattern', pattern }, deps)]),
    ...(settings.ready ? [readyCondition(handle)] : []),
    ...(quiet === undefined ? [] : [quietCondition(quiet, deps)]),
    ...(port === undefined ? [] : [portCondition(port, deps)]),
    ...(portFree === undefined ? [] : [portFreeCondition(portFree, deps)]),
    ...(http === undefined ? [] : [httpCondition(http, deps)]),
    ...(file === undefined ? [] : [fileCondition(file, deps)]),
    ...(settings.input ? [inputCondition(deps)] : []),
  ];
  return settings.exit || conditions.length === 0 ? [...conditions, exit] : conditions;
}

/** Kernels store file times in steps of up to 10 ms. */
const toleranceMs = 20;

/**
 * Holds when the file exists and was written or moved there since the process was started, even after its
 * end.
 */
function fileCondition(
  file: string,
  { handle, clock }: { handle: ProcessHandle; clock: Clock },
): WaitCondition {
  const { cwd, createdAt } = handle.view();
  const path = resolve(cwd, file);
  const isThere = () => changedAt(path) >= createdAt - toleranceMs;
  return {
    name: 'file',
    watch: ({ holds }) =>
      poll(clock, async () => {
        if (isThere()) holds();
      }),
    settled: async () => isThere(),
  };
}

/** Returns milliseconds since the epoch, or -Infinity without a file. */
function changedAt(path: string): number {
  try {
    return statSync(path, { throwIfNoEntry: false })?.ctimeMs ?? Number.NEGATIVE_INFINITY;
  } catch {
    return Number.NEGATIVE_INFINITY;
  }
}

/** Holds when nothing was printed for the given time, counted from the beginning of the wait at the earliest. */
function quietCondition(
  quietMs: number,
  { handle, clock }: { handle: ProcessHandle; clock: Clock },
): WaitCondition {
  return {
    name: 'quiet',
    watch: ({ holds }) => {
      let lastMs = clock.nowMs();
      let cancel: Cancel = () => {};
      // Rearmed only when due: a process may print a thousand times a second.
      const arm = () => {
        cancel = clock.at(lastMs + quietMs, () => (clock.nowMs() >= lastMs + quietMs ? holds() : arm()));
      };
      const subscription = handle.output$.subscribe(() => {
        lastMs = clock.nowMs();
      });
      arm();
      return () => {
        cancel();
        subscription.unsubscribe();
      };
    },
  };
}
