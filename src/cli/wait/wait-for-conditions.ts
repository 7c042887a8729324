import type { Clock } from '../../clock/clock.ts';
import { createRealClock } from '../../clock/real-clock.ts';
import { formatDuration } from '../../config/format-duration.ts';
import type { SeenProcess, WaitOrder } from '../../control/state-directory.ts';
import type { ConditionName, Waited } from '../../observe/wait-for.ts';
import { describeEnd } from '../../process/end-text.ts';
import { type CliIo, complain, say } from '../cli-io.ts';
import { exitCodes } from '../exit-code.ts';
import { parseSpan } from '../parse-span.ts';
import type { WaitFlags } from '../processes/wait-for-processes.ts';
import { toPrintable } from '../render/printable.ts';
import { toProcessName } from '../render/process-name.ts';
import { showProgress } from '../render/progress-line.ts';
import { chooseProcesses, complainOfMissed } from '../state/choose-processes.ts';
import { type StateScene, withState } from '../state/with-state.ts';
import { watchForInterruption } from './interruption.ts';

/** Waits until something holds of each process; they are not touched. @returns the exit code: 0 when it holds of all. */
export function waitForConditions(
  scene: StateScene<WaitFlags> & {
    readonly words: readonly string[];
    readonly order: WaitOrder;
    readonly clock?: Clock;
  },
): Promise<number> {
  const { flags, io, order, clock = createRealClock() } = scene;
  const timeoutMs = flags.timeout === undefined ? null : parseSpan(flags.timeout, '--timeout');
  return withState(scene, async (state) => {
    const chosen = await chooseProcesses(scene.words, { state, io });
    complainOfMissed(chosen, io);
    if (chosen.missed.length > 0) return exitCodes.failed;

    const left = new Set(chosen.processes);
    const giveUp = new AbortController();
    const names = () => [...left].map(({ view }) => toProcessName(view)).join(', ');
    const progress = showProgress({ text: () => `Waiting for ${names()}`, io, clock });
    const wait = async (seen: SeenProcess): Promise<boolean> => {
      const waited = await state.waitFor(seen.view.id, order, { signal: giveUp.signal });
      left.delete(seen);
      if (!giveUp.signal.aborted) progress.above(() => tell(waited, { order, flags, io }));
      return waited.end.type === 'met';
    };
    const interruption = watchForInterruption({ timeoutMs, clock });
    try {
      const all = Promise.all(chosen.processes.map(wait));
      const result = await Promise.race([all, interruption.promise]);
      // What is given up ends with an error that nobody needs.
      all.catch(() => {});
      if (!('interruptedWith' in result)) return result.every(Boolean) ? exitCodes.done : exitCodes.failed;
      progress.end();
      if (result.interruptedWith === exitCodes.timedOut) {
        complain(io, `${names()}: it has not come true after ${flags.timeout}; nothing was done about that.`);
      }
      return result.interruptedWith;
    } finally {
      progress.end();
      interruption.cancel();
      giveUp.abort();
    }
  });
}

function tell(
  waited: Waited,
  { order, flags, io }: { readonly order: WaitOrder; readonly flags: WaitFlags; readonly io: CliIo },
): void {
  const { end, met, missing, waitedMs, matchedLine, process } = waited;
  const name = toProcessName(process);
  if (flags.json === true) return say(io, JSON.stringify({ id: process.id, ...waited }));
  if (end.type !== 'met') {
    const what = missing.map((condition) => describe(condition, order)).join(', ');
    return complain(io, `${name}: ${describeFailure(waited)}. It was waited until ${what}.`);
  }
  if (flags.quiet === true) return;
  const what = met.map((condition) => describe(condition, order)).join(', ');
  const line = matchedLine === null ? '' : `: ${matchedLine}`;
  say(io, toPrintable(`${name}: ${what}, after ${formatDuration(waitedMs)}${line}`));
}

function describeFailure({ end, process }: Waited): string {
  if (end.type === 'impossible') return end.why.replace(/\.$/, '');
  return 'endedAt' in process ? `it ${describeEnd(process.reason, process.exit)}` : 'the wait has ended';
}

function describe(condition: ConditionName, order: WaitOrder): string {
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
      return `${order.file} is there`;
    case 'input':
      return 'it waits for input';
  }
}
