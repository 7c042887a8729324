import { filter, firstValueFrom } from 'rxjs';
import type { ProcessSignal } from '../../machines/process/context.ts';
import { isFinal } from '../../machines/process/view.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import { type RestartStrategy, restartScope } from './restart-scope.ts';
import { isRunning, untilUp } from './until-up.ts';

interface RestartRoundsOptions {
  readonly strategy: RestartStrategy;
  /** Start order. */
  readonly order: readonly string[];
  /** `undefined` for a member that is not to run, or was not started yet. */
  readonly get: (name: string) => ProcessHandle | undefined;
  readonly stopSignalOf: (name: string) => ProcessSignal | null;
  readonly note: (words: string) => void;
}

/** Restarts others when one terminates, as the strategy says. */
interface RestartRounds {
  /** `name` ended by itself and is coming back by its own restart policy. */
  terminated(name: string): void;
}

interface Round {
  /** The one that terminated and those of its scope, in start order. */
  readonly members: readonly string[];
  /** The one that terminated by itself. */
  readonly cause: string;
  /** Those that are up again. */
  readonly back: Set<string>;
  isOver: boolean;
}

/**
 * Runs one round at a time, as OTP does: the others are ended first, in reverse start order, each proven gone before the next, so that none runs on
 * a dead dependency; then all are started in start order, each up before the next. The one that terminated also waits for its own pause. Members
 * that have ended for good stay so. A member that terminates by itself before its turn joins the round; after its turn it begins another one in
 * its place.
 */
export function createRestartRounds(options: RestartRoundsOptions): RestartRounds {
  const { strategy, order, get, note } = options;
  let current: Round | null = null;

  function terminated(cause: string): void {
    if (current?.members.includes(cause) && !current.back.has(cause)) return;
    const scope = restartScope(strategy, { order, terminated: cause });
    if (scope.length === 0) return;
    // Scopes are nested: the new one contains all that the old one has still to do.
    if (current !== null) current.isOver = true;
    current = {
      members: order.filter((name) => name === cause || scope.includes(name)),
      cause,
      back: new Set(),
      isOver: false,
    };
    void run(current);
  }

  async function run(round: Round): Promise<void> {
    note(`${round.cause} terminated: ${strategy}`);
    get(round.cause)?.hold({ by: 'supervisor' });
    for (const name of round.members.toReversed()) {
      await takeDown(name, round);
      if (round.isOver) return;
    }
    for (const name of round.members) {
      const result = await bringBack(name);
      if (round.isOver) return;
      if (!result.up) note(`${name} did not come back (${result.why})`);
      round.back.add(name);
    }
    round.isOver = true;
    current = null;
  }

  /** Resolves when it is held, has ended for good, or cannot be followed any more. */
  async function takeDown(name: string, { cause }: Round): Promise<void> {
    const signal = options.stopSignalOf(name);
    for (let handle = get(name); handle !== undefined && !isFinal(handle.status); handle = get(name)) {
      const { status } = handle;
      if (name !== cause && isRunning({ status })) note(`${name} is restarted because ${cause} terminated`);
      handle.hold({ by: 'supervisor', ...(signal !== null && { signal }) });
      if (status === 'restarting') return;
      const changed = handle.status$.pipe(filter((now) => now !== status));
      if ((await firstValueFrom(changed, { defaultValue: null })) === null) return;
    }
  }

  async function bringBack(name: string) {
    const handle = get(name);
    // It waits to be started at all, or stays ended.
    if (handle === undefined || isFinal(handle.status)) return { up: true } as const;
    const { attempt, status } = handle.view();
    if (status !== 'restarting') return untilUp(handle);
    handle.proceed();
    return untilUp(handle, attempt);
  }

  return { terminated };
}
