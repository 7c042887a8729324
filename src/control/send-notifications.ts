import { randomUUID } from 'node:crypto';
import { endWith, firstValueFrom, merge, ReplaySubject } from 'rxjs';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { Supervisor } from '../supervisor/supervisor.ts';
import type { WatchNews, WatchOptions } from '../watches/watch.ts';
import type { RequestPort } from './served-client.ts';

/**
 * Watches a process for one client, and sends its notices until the watch is over; then the watch is gone, however it ends. While the
 * client does not read, notices wait in the mailbox of an owner of its own.
 */
export async function sendNotifications(
  handle: ProcessHandle,
  { supervisor, options, port }: { supervisor: Supervisor; options: WatchOptions; port: RequestPort },
): Promise<null> {
  const { id } = handle;
  // No client replaces the watch of another one.
  const owner = `client_${randomUUID()}`;
  const over$ = new ReplaySubject<null>(1);
  let isCancelled = false;
  const end = () => over$.next(null);
  supervisor.watch(id, {
    ...options,
    owner,
    // The client is gone under the next supervisor.
    kept: false,
    onOver: (how) => {
      isCancelled = how === 'cancelled';
      end();
    },
  });
  port.signal.addEventListener('abort', end);
  try {
    while (!port.signal.aborted) {
      const news = await firstValueFrom(merge(supervisor.newsOf(owner).pipe(endWith(null)), over$));
      if (news === null) break;
      if (news.type !== 'schedule.due') await port.send(news);
    }
    if (isCancelled && !port.signal.aborted) await port.send(toTakenBack(handle, owner));
    return null;
  } finally {
    port.signal.removeEventListener('abort', end);
    supervisor.unwatch(id, { owner });
  }
}

function toTakenBack(handle: ProcessHandle, owner: string): WatchNews {
  const process = handle.view();
  const at = Date.now();
  const id = `${process.id}/${process.attempt}/takenBack/${at}/${owner}`;
  return { type: 'watch.failed', id, at, owner, process, why: 'it was withdrawn' };
}
