import { isFinal } from '../../../machines/process/view.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import { type RestartStrategy, restartScope } from './restart-scope.ts';
import { isRunning, untilUp } from './until-up.ts';

interface RestartRoundsOptions {
  readonly strategy: RestartStrategy;
  /** Start order. */
  readonly order: readonly string[];
  readonly get: (name: string) => ProcessHandle | undefined;
  readonly note: (words: string) => void;
}

/** Restarts others when one terminates, as the strategy says. */
interface RestartRounds {
  /** `name` ended by itself and is coming back by its own restart policy. */
  terminated(name: string): void;
  /** The round that is going on ends where it is. */
  abandon(): void;
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
 * One round at a time, in start order, each member up before the next is restarted: the one that terminated comes back by its
 * own policy, the others run on until it is their turn, and those that have ended for good stay so. Rounds cause no
 * rounds: who is restarted by one passes through `stopping`, never through `restarting`. Who terminates by
 * itself before its turn joins the round; who does so after its turn begins another one in its place.
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
    for (const name of round.members) {
      const result = await bringBack(name, round);
      if (round.isOver) return;
      if (!result.up) {
        const rest = round.members.slice(round.members.indexOf(name) + 1);
        note(
          `${name} did not come back (${result.why})${rest.length === 0 ? '' : `; not restarted: ${rest.join(', ')}`}`,
        );
        break;
      }
      round.back.add(name);
    }
    round.isOver = true;
    current = null;
  }

  async function bringBack(name: string, round: Round) {
    const handle = get(name);
    const isCause = name === round.cause;
    // It waits to be started at all, or stays ended.
    if (handle === undefined || (!isCause && isFinal(handle.status))) return { up: true } as const;
    const { attempt, status } = handle.view();
    if (!isCause && isRunning({ status })) {
      note(`${name} is restarted because ${round.cause} terminated`);
      handle.restart('supervisor');
      return untilUp(handle, attempt);
    }
    return untilUp(handle, isCause && status === 'restarting' ? attempt : 0);
  }

  return {
    terminated,
    abandon: () => {
      if (current !== null) current.isOver = true;
      current = null;
    },
  };
}
