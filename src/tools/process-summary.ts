import type { TreeMember } from '../../machines/process/context.ts';
import { describeEnd } from '../process/describe-end.ts';
import { toCompletionId } from '../process/process-id.ts';
import {
  type AwaitedInput,
  isEnded,
  type ProcessView,
  type ProgressView,
  toPausedAt,
} from '../process/process-view.ts';

/** Describes a process to a model. */
export function toSummary(view: ProcessView): Readonly<Record<string, unknown>> {
  return {
    process_id: view.id,
    ...(view.label !== null && { label: view.label }),
    command: view.commandLine,
    status: view.status,
    ...(toPausedAt(view) !== null && { paused: true }),
    ...(view.lifetime !== 'session' && { lifetime: view.lifetime }),
    ...('pid' in view && view.pid !== null && { pid: view.pid }),
    ...('runtimeMs' in view && { runtime_seconds: Math.round(view.runtimeMs / 100) / 10 }),
    ...('ready' in view && view.ready.state !== 'undeclared' && { ready: toReadyWord(view.ready) }),
    ...(isEnded(view) && {
      exit_code: view.exit?.code ?? null,
      signal: view.exit?.signal ?? null,
      end: describeEnd(view.reason, view.exit),
      ...(view.leftovers.length > 0 && { leftovers: view.leftovers.map(toShown) }),
      ...(view.suspects.length > 0 && { suspects: view.suspects.map(toShown) }),
    }),
    ...(view.awaitsInput !== null && { awaits_input: toAwaited(view.awaitsInput) }),
    ...(view.progress !== null && { progress: toProgress(view.progress) }),
    output_bytes: view.output.bytes,
  };
}

function toShown({ pid, command }: TreeMember) {
  return { pid, command };
}

function toReadyWord(ready: Extract<ProcessView, { ready: unknown }>['ready']): string {
  return ready.state === 'failed' ? `not ready: ${ready.why}` : ready.state;
}

/** Includes the certainty, on which the model's next step depends. */
function toAwaited({ kind, certainty, prompt }: AwaitedInput) {
  return { kind, certainty, ...(prompt !== null && { prompt }) };
}

function toProgress({ percent, state, text }: ProgressView) {
  return {
    ...(percent !== null && { percent }),
    ...(state !== 'running' && { state }),
    ...(text !== null && { text }),
  };
}

/** Returns the ids of completions that these views already show. */
export function toRevealed(...views: readonly ProcessView[]): readonly string[] {
  return views.filter(isEnded).map(toCompletionId);
}
