import type { CommandSpec } from '../../config/process-spec.ts';
import type { OutputRead } from '../../output/read-output.ts';
import { describeLimit } from '../../process/describe-end.ts';
import type { ProcessView } from '../../process/process-view.ts';
import { viewThat } from '../interruption.ts';
import { isEnded, toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import { type CommandRequest, toCommandSpec } from './command-request.ts';
import { lookAt, type ShownScreen } from './look-at.ts';
import type { Outcome } from './outcome.ts';
import { describeWhatComes, interruptedBefore } from './start-words.ts';

/** What is shown of the output of a process that has just come up. */
const MAX_FIRST_BYTES = 2_000;

export interface BackgroundRequest extends CommandRequest {
  /** Opens a pipe to its stdin. */
  readonly stdin?: boolean | undefined;
  /** Asks for a terminal; the message says what became of that. */
  readonly interactive?: boolean | undefined;
  readonly ready?: NonNullable<CommandSpec['ready']> | undefined;
  /** Starts it although the same command already runs. */
  readonly force?: boolean | undefined;
}

export interface StartedProcess {
  readonly view: ProcessView;
  readonly message: string;
  /** The first that it printed; of one with a terminal, `null`. */
  readonly read: OutputRead | null;
  /** Of one with a terminal. */
  readonly shown: ShownScreen | null;
}

/**
 * Starts a command that nobody waits for. Answers once it has come up, or is ready where that was declared, or has ended.
 *
 * @throws TroupeError as `Supervisor.start` does.
 */
export async function startInBackground(
  request: BackgroundRequest,
  context: ToolContext,
): Promise<Outcome<StartedProcess>> {
  const { interrupt } = context;
  if (interrupt.aborted) return { ok: false, error: interruptedBefore };
  const handle = await context.start(toSpec(request));
  const arrival = await viewThat(hasArrived, { handle, interrupt });
  const waited = arrival.type === 'interrupted' ? ['Interrupted: nobody waits until it is ready.'] : [];
  const hasTerminal = handle.view().terminal?.type === 'terminal';
  const shown = hasTerminal ? await lookAt(handle, { ...context, after: 'start', printedBytes: 0 }) : null;
  const view = handle.view();
  const message = [...waited, describeStart(view, context), ...describeTerminal(view)].join(' ');
  const reveals = toRevealed(view);
  if (shown !== null) return { ok: true, value: { view, message, read: null, shown }, reveals };
  const reader = handle.reader(context.owner);
  const read = handle.read({ maxBytes: MAX_FIRST_BYTES });
  return {
    ok: true,
    value: { view, message, read, shown },
    reveals,
    ...(!read.truncated && { onRecorded: () => reader.acknowledge(read) }),
  };
}

/** What it became, and how a person gets at it. */
function describeTerminal({ terminal }: ProcessView): readonly string[] {
  if (terminal === null) return [];
  if (terminal.type === 'none') return [`${terminal.because} Its input is a pipe, to which you can write.`];
  if (terminal.attach === null) return [terminal.because];
  return [`${terminal.because} A person can attach with: ${terminal.attach.join(' ')}`];
}

function toSpec(request: BackgroundRequest): CommandSpec {
  const { stdin, interactive, ready, force } = request;
  return {
    ...toCommandSpec(request),
    background: true,
    onDuplicate: 'refuse',
    ...(force !== undefined && { force }),
    ...(stdin === true && { stdin: 'pipe' }),
    ...(interactive === true && { interactive }),
    ...(ready !== undefined && { ready }),
  };
}

/** It waits for a place to run, or has come up and is known to be ready or not. */
function hasArrived(view: ProcessView): boolean {
  if (view.status === 'pending') return view.queued;
  return !('ready' in view) || view.ready.state !== 'waiting';
}

function describeStart(view: ProcessView, context: ToolContext): string {
  if (isEnded(view)) return 'It has ended already.';
  const words = [
    `It runs in the background as ${view.id}.`,
    ...describeLimit(view),
    describeWhatComes(context),
  ];
  return words.join(' ');
}
