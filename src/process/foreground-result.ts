import { readAgentAnswer } from './agent-answer.ts';
import type { ChangeSignal } from './change-signal.ts';
import type { ProcessDeps } from './process-deps.ts';
import type { ProcessLife } from './process-life.ts';
import type { ProcessOutput } from './process-output.ts';
import type { ProcessPlan } from './process-plan.ts';
import type { FinalView, ProcessView } from './process-view.ts';
import {
  type ResultEnvelope,
  type ResultParts,
  readPrinted,
  toBackgroundedEnvelope,
  toLiving,
  toQueuedEnvelope,
  toResultEnvelope,
  toSurvivedEnvelope,
} from './result-envelope.ts';

interface AwaitedProcess {
  readonly plan: ProcessPlan;
  readonly deps: ProcessDeps;
  readonly life: ProcessLife;
  readonly output: ProcessOutput;
  readonly changes: ChangeSignal;
  readonly ended: Promise<FinalView>;
  view(): ProcessView;
}

/** Resolves when no caller waits for the process any more: at its end, in the background, or when something survived its kill. */
export async function awaitResult(process: AwaitedProcess): Promise<ResultEnvelope> {
  const { plan, life, output, changes } = process;
  await changes.until(() => life.isOver || !isAwaited(life) || hasSurvived(life));
  if (hasSurvived(life)) return toSurvivedEnvelope(await toParts(process, process.view()));
  if (!life.hasEnded) {
    const parts = await toParts(process, process.view());
    return life.status === 'pending' ? toQueued(process, parts) : toBackgroundedEnvelope(parts);
  }
  const view = await process.ended;
  const parts = await toParts(process, view);
  if (view.status === 'timed_out' && view.pid === null && view.startedAt === null)
    return toQueued(process, parts);
  const answering = { id: plan.id, reader: (name: string) => output.reader(name) };
  return toResultEnvelope(parts, plan.kind === 'agent' ? readAgentAnswer(answering) : null);
}

async function toParts<View extends ProcessView>(
  { deps, output }: AwaitedProcess,
  view: View,
): Promise<ResultParts<View>> {
  const printed = await readPrinted((options) => output.read(options));
  return { view, printed, ...(await toLiving(view, deps.findPorts)) };
}

function toQueued({ plan, deps }: AwaitedProcess, parts: ResultParts): ResultEnvelope {
  return toQueuedEnvelope(parts, { holders: deps.slotHolders(plan.kind), now: deps.clock.epochMs() });
}

/** Returns whether a caller waits in the foreground. A background start is awaited until it has come up. */
function isAwaited({ view }: ProcessLife): boolean {
  if (view.status === 'pending') return view.isAwaited || view.starting;
  return view.status === 'restarting' ? view.isAwaited : view.status !== 'backgrounded';
}

/** Returns whether something outlived SIGKILL: the end may never come. */
function hasSurvived({ view }: ProcessLife): boolean {
  return view.status === 'stopping' && view.receipt !== null;
}
