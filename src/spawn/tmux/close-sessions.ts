import type { Clock } from '../../clock/clock.ts';
import { pause } from '../../clock/pause.ts';
import type { TmuxServer } from './tmux-server.ts';

/** Time for the last screen and the rest of the output. */
const closeTimeoutMs = 1_500;
/** Time after which tmux is made to look for dead children, one of which it may have missed. */
const nudgeAfterMs = 150;
const pollMs = 25;

/** Waits until sessions without a living process have closed by themselves, and closes those that do not. Never rejects. */
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

/** Tells whether a session exists. A server that cannot say counts as gone. */
async function isThere(server: TmuxServer, session: string): Promise<boolean> {
  return (await server.findPane(session).catch(() => null)) !== null;
}
