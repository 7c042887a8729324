import { setImmediate } from 'node:timers/promises';
import { shellGrammar } from '../policy/shell/shell-grammar.ts';
import type { VirtualClock } from './virtual-clock.ts';

/** Turns of the event loop without a file being read and without a new timer, after which nothing is under way. */
const IDLE_TURNS = 20;

/**
 * Resolves once everything has happened that needs no time on `clock`: promises, replies of a scripted model, and a policy's
 * reading of a command. The grammar of shell commands is loaded first, so `advance` never overtakes a decision of the policy. Does not
 * wait for real processes: for those wait for a condition.
 */
export async function settle(clock: VirtualClock): Promise<void> {
  // The policy loads its judge when a command is judged: loading takes turns of its own.
  await import('../policy/judge/judge-start.ts');
  // Without the grammar the policy gives its own answer; a test need not fail here.
  await shellGrammar.parse('').catch(() => null);
  let pending = clock.pending;
  for (let idle = 0; idle < IDLE_TURNS; idle += 1) {
    await setImmediate();
    if (clock.pending !== pending || isReading()) idle = 0;
    pending = clock.pending;
  }
}

function isReading(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith('FSReq'));
}
