import { randomUUID } from 'node:crypto';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { WatchNews, WatchOptions } from '../supervisor/watches/watch.ts';
import type { RequestPort } from './serve-client.ts';

/** Of a client that does not read, the oldest news are left out. */
const MAX_WAITING_NEWS = 64;

/**
 * Watches a process for one client and sends it what there is to tell, until the process has ended. However it
 * ends, the watch is gone.
 */
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
  // Nobody is there for it under the next supervisor.
  supervisor.watch(id, { ...options, owner, kept: false });
  const news = supervisor.newsOf(owner).subscribe({
    next: (each) => {
      if (each.type === 'schedule.due') return;
      waiting.push(each);
      if (waiting.length > MAX_WAITING_NEWS) waiting.shift();
      if (each.type === 'watch.failed') isOver = true;
      wake();
    },
    complete: end,
  });
  const life = handle.status$.subscribe({ complete: end });
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
    life.unsubscribe();
    supervisor.unwatch(id, { owner });
  }
}
