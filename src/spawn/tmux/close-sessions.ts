import type { Clock } from '../../clock/clock.ts';
import { pause } from '../../clock/pause.ts';
import type { TmuxServer } from './tmux-server.ts';

/** The last screen is being taken, and the rest of the output. */
const closeTimeoutMs = 1_500;
/** tmux may have missed that its child has died; with the next it looks for all. */
const nudgeAfterMs = 150;
const pollMs = 25;

/** Waits until these sessions, in which nothing is alive, have closed by themselves, and closes those that do not. Never rejects. */
export async function closeSessions(
  server: TmuxServer,
  { sessions, clock }: { readonly sessions: Iterable<string>; readonly clock: Clock },
): Promise<void> {
  await Promise.all([...sessions].map((session) => closeSession(server, { session, clock })));
}

async function closeSession(
  server: TmuxServer,
  { session, clock }: { session: string; clock: Clock },
): Promise<void> {
  const startMs = clock.nowMs();
  let wasNudged = false;
  while (await isThere(server, session)) {
    const waitedMs = clock.nowMs() - startMs;
    if (waitedMs > closeTimeoutMs) return void (await server.ask([['kill-session', '-t', `=${session}`]]));
    if (waitedMs > nudgeAfterMs && !wasNudged) {
      wasNudged = true;
      await server.ask([['run-shell', '-b', 'exit']]);
    }
    await pause(clock, { ms: pollMs });
  }
}

/** A server that cannot say it is not waited for. */
async function isThere(server: TmuxServer, session: string): Promise<boolean> {
  return (await server.findPane(session).catch(() => null)) !== null;
}
