import { type AwaitedInput, type ProcessView, toPausedAt } from '../process/process-view.ts';

/** The activity of a live process, as far as it is known. */
export interface RunningState {
  /** A sentence. */
  readonly now: string | null;
  /** The last output, where the process waits for input. */
  readonly prompt: string | null;
}

export function toRunningState(view: ProcessView): RunningState {
  const { awaitsInput, progress } = view;
  if (toPausedAt(view) !== null) return { now: 'It is paused.', prompt: null };
  if (awaitsInput !== null) return { now: describeWait(awaitsInput), prompt: awaitsInput.prompt };
  if (progress === null || progress.percent === null) return { now: null, prompt: null };
  const how = { running: 'It is', paused: 'It has paused', failed: 'It has failed' }[progress.state];
  return { now: `${how} at ${progress.percent} %, according to its output.`, prompt: null };
}

const wanted: Readonly<Record<AwaitedInput['kind'], string>> = {
  line: 'a line',
  secret: 'a secret, which is not shown',
  key: 'a key',
};

function describeWait({ kind, certainty }: AwaitedInput): string {
  const sure = certainty === 'known' ? 'It waits' : 'Its last output suggests that it waits';
  return `${sure} for somebody to type ${wanted[kind]}.`;
}
