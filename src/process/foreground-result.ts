import { formatDuration } from '../config/duration.ts';
import { shorten } from '../config/quote.ts';
import { describeSurvivors } from '../spawn/tree/describe-survivors.ts';
import { readAgentAnswer } from './agent-answer.ts';
import type { ChangeSignal } from './change-signal.ts';
import { describeEnd, describeLimit } from './describe-end.ts';
import { readPrinted, toEndedResult, toLiving } from './ended-result.ts';
import type { ProcessDeps } from './process-deps.ts';
import type { ProcessLife } from './process-life.ts';
import type { ProcessOutput } from './process-output.ts';
import type { ProcessPlan } from './process-plan.ts';
import type { EndedResult, PrintedText, StartedResult } from './process-result.ts';
import { describeUnstarted, type FinalView, type ProcessView, REMOTE_START_MS } from './process-view.ts';
import type { Timeline } from './timeline.ts';

interface AwaitedProcess {
  readonly plan: ProcessPlan;
  readonly deps: ProcessDeps;
  readonly life: ProcessLife;
  readonly output: ProcessOutput;
  readonly timeline: Timeline;
  readonly changes: ChangeSignal;
  readonly ended: Promise<FinalView>;
  view(): ProcessView;
}

/** Resolves when no caller waits for the process any more: at its end, in the background, or when something survived its kill. */
export async function awaitResult(process: AwaitedProcess): Promise<StartedResult> {
  const { plan, life, changes } = process;
  await changes.until(() => life.isOver || !isAwaited(process) || hasSurvived(life));
  if (plan.host !== null && plan.run.background) await untilUp(process);
  const view = process.view();
  if (hasSurvived(life)) {
    const survivors = view.status === 'stopping' ? view.survivors : [];
    const message = describeSurvival(view, describeSurvivors(survivors));
    return { type: 'survived', survivors, process: view, message, outputSoFar: await print(process) };
  }
  if (life.hasEnded) return toEnded(process, await process.ended);
  if (life.status === 'pending') {
    const message = `${describeWait(process, view)} ${describePlace(process)}to cancel it, kill ${view.id}.`;
    return { type: 'queued', process: view, message };
  }
  const message = describeBackgrounding(view);
  return { type: 'backgrounded', process: view, message, outputSoFar: await print(process) };
}

async function toEnded(process: AwaitedProcess, view: FinalView): Promise<EndedResult> {
  const { plan, deps, output, timeline } = process;
  const answering = { id: plan.id, reader: (name: string) => output.reader(name) };
  const parts = { view, printed: await print(process), ...(await toLiving(view, deps.findPorts)) };
  const result = toEndedResult(parts, {
    answer: plan.kind === 'agent' && view.status === 'completed' ? readAgentAnswer(answering) : null,
    inputError: timeline.entries.findLast(({ type }) => type === 'input.failed')?.detail ?? null,
  });
  if (result.type !== 'timed_out' || view.startedAt !== null) return result;
  // At `onTimeout: 'kill'` and at `maxExecutionTime` a process is cancelled in the queue.
  const message = `${describeWait(process, view)} It was cancelled at its time limit and will not start.`;
  return { ...result, message };
}

function print({ output }: AwaitedProcess): Promise<PrintedText> {
  return readPrinted((options) => output.read(options));
}

/** Returns whether a caller waits in the foreground. A background start on this machine is awaited until it has come up. */
function isAwaited({ plan, life: { view } }: AwaitedProcess): boolean {
  if (view.status === 'pending') return view.isAwaited || (view.starting && plan.host === null);
  return view.status === 'restarting' ? view.isAwaited : view.status !== 'backgrounded';
}

/** Resolves when a start is over, or has lasted for `REMOTE_START_MS`. */
async function untilUp({ life, changes, deps: { clock } }: AwaitedProcess): Promise<void> {
  const late = new AbortController();
  const cancel = clock.at(clock.nowMs() + REMOTE_START_MS, () => late.abort());
  await changes.until(() => life.status !== 'pending', late.signal);
  cancel();
}

/** Returns whether something outlived SIGKILL: the end may never come. */
function hasSurvived({ view }: ProcessLife): boolean {
  return view.status === 'stopping' && view.receipt !== null;
}

function describeSurvival({ id }: ProcessView, survivors: string): string {
  const alive = survivors === '' ? '' : `: still alive: ${survivors}`;
  return `Process ${id} was stopped and is not gone${alive}. It stays "stopping" and is watched.`;
}

function describeBackgrounding(view: ProcessView): string {
  const log = view.output.logFile;
  const state =
    view.status === 'restarting'
      ? `It ended (${describeEnd(view.reason, null)}) and will be restarted`
      : `Still running after ${formatDuration('runtimeMs' in view ? view.runtimeMs : 0)}`;
  const words = [
    `${state}: it continues in the background as ${view.id}.`,
    `Its output so far is kept: read it with this id${log === null ? '' : `, or in ${log}`}.`,
    ...describeLimit(view),
  ];
  return words.join(' ');
}

/** Says when a process starts that waits in a queue. */
function describePlace({ plan, life: { view } }: AwaitedProcess): string {
  return view.status === 'pending' && view.starting
    ? `It stays in the queue of ${plan.host} and starts in the background when a worker takes it; `
    : 'It stays queued and starts in the background when a slot is free. To free a slot, end one of these processes; ';
}

/** Describes how long a process has waited in a queue, and for what. */
function describeWait(process: AwaitedProcess, view: ProcessView): string {
  const { plan, life, deps } = process;
  const waitedMs = deps.clock.epochMs() - view.createdAt;
  const isQueuedHere = life.view.status === 'pending' && !life.view.starting;
  const why =
    plan.host === null || isQueuedHere ? describeHolders(process) : `: ${describeUnstarted(plan.host)}`;
  return `Process ${view.id} has not started after ${formatDuration(waitedMs)}${why}.`;
}

function describeHolders({ plan, deps }: AwaitedProcess): string {
  const now = deps.clock.epochMs();
  const holders = deps.slotHolders(plan.kind);
  if (holders.length === 0) return '';
  const each = holders.map((holder) => {
    const since = formatDuration(
      now - ('startedAt' in holder ? (holder.startedAt ?? now) : holder.createdAt),
    );
    return `${holder.id} (${shorten(holder.commandLine, 80)}, for ${since})`;
  });
  const slots = plan.kind === 'agent' ? 'agents' : 'foreground commands';
  return `: all ${holders.length} slots for ${slots} are taken by ${each.join(', ')}`;
}
