import { formatDuration } from '../../config/duration.ts';
import { describeEnd } from '../../process/describe-end.ts';
import { isEnded } from '../../process/process-view.ts';
import type { WatchView } from '../../watches/watch.ts';
import { findProcess } from '../find-process.ts';
import { describeNotices } from '../notice-words.ts';
import { toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';

interface WatchRequest {
  readonly id: string;
  readonly quietMs: number;
  /** JavaScript regular expression to match, instead of silence. */
  readonly pattern?: string | undefined;
}

/**
 * Requests a notice when a process goes quiet or prints a matching line; replaces this owner's previous watch on it.
 *
 * @throws TroupeError `invalid-option` for an expression that does not compile.
 */
export function watchProcess({ id, quietMs, pattern }: WatchRequest, context: ToolContext): Outcome<string> {
  const found = findProcess(id, context);
  if ('ok' in found) return found;
  const view = found.view();
  if (isEnded(view)) {
    const error = `Process ${id} ${describeEnd(view.reason, view.exit)}: there is nothing left to watch.`;
    return { ok: false, error, reveals: toRevealed(view), worked: true };
  }
  const { supervisor, owner } = context;
  const isAnother = supervisor.watches({ owner, process: id }).length > 0;
  const watch = supervisor.watch(id, {
    owner,
    ...(pattern === undefined ? { quiet: quietMs } : { pattern }),
  });
  const replaced = isAnother ? ' It replaces the previous watch.' : '';
  return { ok: true, value: `${describeWatch(watch, context)}${replaced}` };
}

/** Removes a watch. Succeeds where there is none. */
export function unwatchProcess({ id }: { id: string }, context: ToolContext): Outcome<string> {
  const found = findProcess(id, context);
  if ('ok' in found) return found;
  const { supervisor, owner } = context;
  const wasWatched = supervisor.unwatch(id, { owner });
  const message = wasWatched ? `Process ${id} is no longer watched.` : `Process ${id} was not watched.`;
  return { ok: true, value: message };
}

function describeWatch({ processId, wants }: WatchView, context: ToolContext): string {
  const when =
    wants.type === 'quiet'
      ? `each time it has shown nothing new for ${formatDuration(wants.quietMs)}`
      : 'when it prints lines that match';
  return `Process ${processId} is watched until it ends: the watch fires ${when}. ${describeNotices(context)}`;
}
