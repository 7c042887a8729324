import { randomUUID } from 'node:crypto';
import type { WatchOver } from '../config/watch-options.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { WatchNews, WatchOptions } from '../watches/watch.ts';
import type { RequestPort } from './serve-client.ts';

/** Of a client that does not read, the oldest news are left out; their matches are counted in the next ones. */
const MAX_WAITING_NEWS = 64;

/** Watches a process for one client and sends it what there is to tell, until the watch is over. However it ends, the watch is gone. */
export async function tellNews(
  handle: ProcessHandle,
  { supervisor, options, port }: { supervisor: Supervisor; options: WatchOptions; port: RequestPort },
): Promise<null> {
  const { id } = handle;
  // Everybody who watches is somebody else: nobody's watch is replaced.
  const owner = `client_${randomUUID()}`;
  const waiting: WatchNews[] = [];
  let isOver = false;
  let wake = () => {};
  const end = () => {
    isOver = true;
    wake();
  };
  const onOver = (how: WatchOver) => {
    if (how === 'cancelled') waiting.push(toTakenBack(handle, owner));
    end();
  };
  // Nobody is there for it under the next supervisor.
  supervisor.watch(id, { ...options, owner, kept: false, onOver });
  const news = supervisor.newsOf(owner).subscribe({
    next: (each) => {
      if (each.type === 'schedule.due') return;
      waiting.push(each);
      if (waiting.length > MAX_WAITING_NEWS) dropOldest(waiting);
      wake();
    },
    complete: end,
  });
  port.signal.addEventListener('abort', end);
  try {
    while (!port.signal.aborted) {
      const next = waiting.shift();
      if (next !== undefined) await port.send(next);
      else if (isOver) break;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
    return null;
  } finally {
    port.signal.removeEventListener('abort', end);
    news.unsubscribe();
    supervisor.unwatch(id, { owner });
  }
}

/** All that waits is of one watch. */
function dropOldest(waiting: WatchNews[]): void {
  const oldest = waiting.shift();
  const index = waiting.findIndex(({ type }) => type === 'watch.matched');
  const next = waiting[index];
  if (oldest?.type !== 'watch.matched' || next?.type !== 'watch.matched') return;
  const { matches, suppressed } = next;
  waiting[index] = { ...next, matches: matches + oldest.matches, suppressed: suppressed + oldest.matches };
}

function toTakenBack(handle: ProcessHandle, owner: string): WatchNews {
  const process = handle.view();
  const at = Date.now();
  const id = `${process.id}/${process.attempt}/takenBack/${at}/${owner}`;
  return { type: 'watch.failed', id, at, owner, process, why: 'somebody has taken it back' };
}
