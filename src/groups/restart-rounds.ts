import { filter, firstValueFrom } from 'rxjs';
import { isFinal } from '../../machines/process/view.ts';
import type { EndingSignal } from '../config/signal-name.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import { isRunning, untilUp } from './group-member.ts';
import { type RestartStrategy, restartScope } from './restart-scope.ts';

interface RestartRoundsOptions {
  readonly strategy: RestartStrategy;
  /** Names in start order. */
  readonly order: readonly string[];
  /** Returns `undefined` for a member that is not to run, or was not started yet. */
  readonly get: (name: string) => ProcessHandle | undefined;
  readonly stopSignalOf: (name: string) => EndingSignal | null;
  readonly note: (words: string) => void;
}

/** Restarts other members when one terminates, as the strategy says. */
interface RestartRounds {
  /** Begins a round: `name` ended by itself and restarts by its own policy. */
  terminated(name: string): void;
}

interface Round {
  /** The member that terminated and its restart scope, in start order. */
  readonly members: readonly string[];
  /** The member that terminated by itself. */
  readonly cause: string;
  /** Members that are up again. */
  readonly back: Set<string>;
  isOver: boolean;
}

/**
 * Runs one round at a time, as OTP does: the others are ended first, in reverse start order, each proven gone before the next, so that none
 * runs without its dependency; then all start in start order, each up before the next. The member that terminated also waits for its own
 * backoff. Members that have ended for good stay ended. A member that terminates before its turn joins the round; after its turn it begins
 * another round in its place.
 */
export function createRestartRounds(options: RestartRoundsOptions): RestartRounds {
  const { strategy, order, get, note } = options;
  let current: Round | null = null;

  function terminated(cause: string): void {
    if (current?.members.includes(cause) && !current.back.has(cause)) return;
    const scope = restartScope(strategy, { order, terminated: cause });
    if (scope.length === 0) return;
    // Scopes are nested: the new round contains the rest of the old one.
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

  /** Resolves when the member is held, has ended for good, or is not observable any more. */
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
    // Not started yet, or ended for good.
    if (handle === undefined || isFinal(handle.status)) return { up: true } as const;
    const { attempt, status } = handle.view();
    if (status !== 'restarting') return untilUp(handle);
    handle.proceed();
    return untilUp(handle, attempt);
  }

  return { terminated };
}
