import type { Subscription } from 'rxjs';
import { isFinal } from '../../machines/process/view.ts';
import { formatDuration } from '../config/duration.ts';
import { formatBytes } from '../output/cut-text.ts';
import type { ProcessHandle } from '../process/process-handle.ts';

/** Progress reports of a call that waits for processes. */
export interface CallProgress {
  /** Reports changes of status from now on, and growth of the output at most once in `everyMs`. */
  follow(handle: ProcessHandle): void;
  stop(): void;
}

/** Creates progress reports. `tell` receives a number that grows with each report, and a message. */
export function createCallProgress(
  tell: (report: { readonly progress: number; readonly message: string }) => void,
  { everyMs }: { readonly everyMs: number },
): CallProgress {
  const startMs = performance.now();
  const followed = new Map<string, { readonly handle: ProcessHandle; bytes: number }>();
  const subscriptions: Subscription[] = [];
  let last = 0;
  let growing: NodeJS.Timeout | undefined;

  const report = (handle: ProcessHandle) => {
    last = Math.max(last + 1, Math.round(performance.now() - startMs));
    tell({ progress: last, message: toMessage(handle) });
  };
  const reportGrowth = () => {
    for (const each of followed.values()) {
      const { bytes } = each.handle.view().output;
      if (bytes > each.bytes) report(each.handle);
      each.bytes = bytes;
    }
  };
  return {
    follow(handle) {
      if (followed.has(handle.id)) return;
      followed.set(handle.id, { handle, bytes: handle.view().output.bytes });
      subscriptions.push(handle.status$.subscribe(() => isWorthTelling(handle) && report(handle)));
      growing ??= setInterval(reportGrowth, everyMs).unref();
    },
    stop() {
      clearInterval(growing);
      for (const subscription of subscriptions) subscription.unsubscribe();
      followed.clear();
    },
  };
}

/** Returns whether a status is worth a report: the answer shows the end, and a start without a queue takes no time. */
function isWorthTelling(handle: ProcessHandle): boolean {
  const view = handle.view();
  return view.status === 'pending' ? view.queued : !isFinal(view.status);
}

function toMessage(handle: ProcessHandle): string {
  const view = handle.view();
  const name = view.label === null ? view.id : `${view.id} (${view.label})`;
  if (view.status === 'pending') return `${name} waits for a free slot.`;
  if (view.status === 'backgrounded') return `${name} continues in the background.`;
  if (view.status !== 'running') return `${name} is ${view.status}.`;
  const printed = `${formatBytes(view.output.bytes)} of output after ${formatDuration(view.runtimeMs)}`;
  const line = handle.read({ tail: 1, maxBytes: 256 }).text.trim();
  return `${name} runs, ${printed}${line === '' ? '.' : `: ${line}`}`;
}
