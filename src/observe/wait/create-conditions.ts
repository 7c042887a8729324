import type { Clock } from '../../clock/clock.ts';
import type { WaitSettings } from '../../config/wait-options.ts';
import type { StreamPositions } from '../../output/output-chunk.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import { fileCondition } from './file-condition.ts';
import { outputCondition } from './output-condition.ts';
import { httpCondition, portCondition, portFreeCondition } from './port-conditions.ts';
import { quietCondition } from './quiet-condition.ts';
import { inputCondition, readyCondition } from './view-conditions.ts';
import type { WaitCondition } from './wait-condition.ts';

/** One for each that was named; where none was, `exit`. */
export function createConditions(
  settings: WaitSettings,
  wiring: {
    handle: ProcessHandle;
    clock: Clock;
    from: StreamPositions | number;
    /** The end of the process. */
    exit: WaitCondition;
  },
): readonly WaitCondition[] {
  const { handle, exit } = wiring;
  const { text, pattern, quiet, port, portFree, http, file } = settings;
  const conditions = [
    ...(text === undefined ? [] : [outputCondition({ type: 'text', text }, wiring)]),
    ...(pattern === undefined ? [] : [outputCondition({ type: 'pattern', pattern }, wiring)]),
    ...(settings.ready ? [readyCondition(handle)] : []),
    ...(quiet === undefined ? [] : [quietCondition(quiet, wiring)]),
    ...(port === undefined ? [] : [portCondition(port, wiring)]),
    ...(portFree === undefined ? [] : [portFreeCondition(portFree, wiring)]),
    ...(http === undefined ? [] : [httpCondition(http, wiring)]),
    ...(file === undefined ? [] : [fileCondition(file, wiring)]),
    ...(settings.input ? [inputCondition(wiring)] : []),
  ];
  return settings.exit || conditions.length === 0 ? [...conditions, exit] : conditions;
}
