import type { CommandSpec } from '../../config/process-spec.ts';
import type { OutputRead } from '../../output/read-output.ts';
import { describeLimit } from '../../process/describe-end.ts';
import { isEnded, type ProcessView } from '../../process/process-view.ts';
import { waitForView } from '../interruption.ts';
import { describeEndNotice } from '../notice-words.ts';
import { toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';
import { captureSettled, type ShownScreen } from './terminals.ts';

/** Maximum output shown of a process that has just started. */
const MAX_FIRST_BYTES = 2_000;

interface BackgroundRequest extends CommandRequest {
  /** Opens a pipe to its stdin. */
  readonly stdin?: boolean | undefined;
  readonly ready?: NonNullable<CommandSpec['ready']> | undefined;
  /** Starts the command even though an identical one is running. */
  readonly force?: boolean | undefined;
  /** Words before the id in the message about a running process. Default: `It runs in the background as`. */
  readonly opening?: string | undefined;
}

export interface StartedProcess {
  readonly view: ProcessView;
  readonly message: string;
  /** First output; `null` with a terminal. */
  readonly read: OutputRead | null;
  /** Screen; only with a terminal. */
  readonly shown: ShownScreen | null;
}

/**
 * Starts a command in the background. Answers once it is up, is ready where readiness is declared, or has ended.
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
  const arrival = await waitForView(hasArrived, { handle, interrupt });
  const waited = arrival.type === 'interrupted' ? ['Interrupted: not waiting until it is ready.'] : [];
  const hasTerminal = handle.view().terminal?.type === 'terminal';
  const shown = hasTerminal
    ? await captureSettled(handle, { ...context, after: 'start', printedBytes: 0 })
    : null;
  const view = handle.view();
  const start = describeStart(view, { ...request, context });
  const message = [...waited, start, ...describeTerminal(view)].join(' ');
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

/** Describes its terminal and how a person attaches to it. */
export function describeTerminal({ terminal }: ProcessView): readonly string[] {
  if (terminal === null) return [];
  if (terminal.type === 'none') return [`${terminal.because} Its input is a pipe that you can write to.`];
  if (terminal.attach === null) return [terminal.because];
  return [`${terminal.because} A person can attach with: ${terminal.attach.join(' ')}`];
}

function toSpec(request: BackgroundRequest): CommandSpec {
  const { stdin, ready, force } = request;
  return {
    ...toCommandSpec(request),
    background: true,
    onDuplicate: 'refuse',
    ...(force !== undefined && { force }),
    ...(stdin === true && { stdin: 'pipe' }),
    ...(ready !== undefined && { ready }),
  };
}

/** Tells whether it is queued, or up with its readiness settled. */
function hasArrived(view: ProcessView): boolean {
  if (view.status === 'pending') return view.queued;
  return !('ready' in view) || view.ready.state !== 'waiting';
}

function describeStart(
  view: ProcessView,
  {
    opening = 'It runs in the background as',
    context,
  }: Pick<BackgroundRequest, 'opening'> & { readonly context: ToolContext },
): string {
  if (isEnded(view)) return 'It has already ended.';
  return [`${opening} ${view.id}.`, ...describeLimit(view), describeEndNotice(context)].join(' ');
}

/** Parameters common to all starts of a command. */
export interface CommandRequest {
  readonly command: CommandSpec['command'];
  readonly cwd?: string | undefined;
  /** See `CommandSpec.cwdFile`. */
  readonly cwdFile?: string | undefined;
  readonly label?: string | undefined;
  /** Requests a terminal; the view says whether there is one. */
  readonly interactive?: boolean | undefined;
  /** Tool that requested the start. */
  readonly tool: string;
  readonly lifetime?: CommandSpec['lifetime'] | undefined;
  /** Maximum run time in ms, in the foreground as well as in the background. Default: the supervisor's. */
  readonly maxRunMs?: number | undefined;
}

export function toCommandSpec({
  command,
  cwd,
  cwdFile,
  label,
  interactive,
  tool,
  lifetime,
  maxRunMs,
}: CommandRequest): CommandSpec {
  return {
    command,
    tool,
    ...(cwd !== undefined && { cwd }),
    ...(cwdFile !== undefined && { cwdFile }),
    ...(label !== undefined && { label }),
    ...(interactive === true && { interactive }),
    ...(lifetime !== undefined && { lifetime }),
    ...(maxRunMs !== undefined && { maxExecutionTime: maxRunMs, maxBackgroundTime: maxRunMs }),
  };
}

export const interruptedBefore = 'Interrupted before the start: nothing was started.';
