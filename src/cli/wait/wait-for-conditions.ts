import { resolve } from 'node:path';
import { formatDuration } from '../../config/format-duration.ts';
import type { ConditionName, Waited } from '../../observe/wait-for.ts';
import { describeEnd } from '../../process/describe-end.ts';
import type { WaitOrder } from '../../state-directory/state-directory.ts';
import { printError, printLines } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { toPrintable } from '../render/printable.ts';
import { toProcessName } from '../render/process-text.ts';
import { type WaitScene, waitForEach } from './wait-for-each.ts';

interface ConditionsScene extends WaitScene {
  readonly order: WaitOrder;
}

/** Waits until something holds of each process; they are not touched. @returns the exit code: 0 when it holds of all. */
export function waitForConditions(scene: ConditionsScene): Promise<number> {
  return waitForEach(scene, {
    wait: (state, { id, signal }) => state.waitFor(id, scene.order, { signal }),
    report: (waited) => tell(waited, scene),
    toExitCode: (all) => (all.every(({ end }) => end.type === 'met') ? exitCodes.done : exitCodes.failed),
    late: ': it has not come true',
  });
}

function tell(waited: Waited, { order, flags, io }: ConditionsScene): void {
  const { end, met, missing, waitedMs, matchedLine, process } = waited;
  const name = toProcessName(process);
  if (flags.json === true) return printLines(io, JSON.stringify({ id: process.id, ...waited }));
  const describeAll = (conditions: readonly ConditionName[]) =>
    conditions.map((condition) => describe(condition, { order, cwd: process.cwd })).join(', ');
  if (end.type !== 'met') {
    const what = describeAll(missing);
    return printError(io, `${name}: ${describeFailure(waited)}. It was waited until ${what}.`);
  }
  if (flags.quiet === true) return;
  const line = matchedLine === null ? '' : `: ${matchedLine}`;
  printLines(io, toPrintable(`${name}: ${describeAll(met)}, after ${formatDuration(waitedMs)}${line}`));
}

function describeFailure({ end, process, impossible }: Waited): string {
  if (end.type === 'impossible') return withoutStop(end.why);
  const what =
    'endedAt' in process ? `it ${describeEnd(process.reason, process.exit)}` : 'the wait has ended';
  return [what, ...impossible.map(withoutStop)].join('; ');
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, '');
}

function describe(
  condition: ConditionName,
  { order, cwd }: { readonly order: WaitOrder; readonly cwd: string },
): string {
  switch (condition) {
    case 'exit':
      return 'it has ended';
    case 'text':
      return `it prints "${order.text}"`;
    case 'pattern':
      return `it prints a line that matches /${order.pattern}/`;
    case 'ready':
      return 'it is ready';
    case 'quiet':
      return `it is quiet for ${formatDuration(Number(order.quiet))}`;
    case 'port':
      return `it listens on port ${order.port}`;
    case 'portFree':
      return `port ${order.portFree} is free`;
    case 'http':
      return `${order.http} answers`;
    case 'file':
      return `${resolve(cwd, String(order.file))} is there, written since its start`;
    case 'input':
      return 'it waits for input';
  }
}
