import type { Cancel, Clock } from '../../clock/clock.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { LINEAGE } from '../environment.ts';
import type { ProcessIdentity } from '../tree/identity.ts';
import { startWatchdogProcess, type WatchdogProcess } from './watchdog-process.ts';

/**
 * Ends the processes of a supervisor that died without doing so itself, be it by SIGKILL: a small `sh` in a session of
 * its own, which notices the death because a pipe that only this program holds comes to its end. It starts with the
 * first process and costs one write for each. One that dies is replaced and told everything again.
 */
export interface Watchdog {
  /** Starts it if there is none. To be called before the first process is: from then on the cookie is enough. */
  prepare(): void;
  /** From now on the group dies with this program. What carries the supervisor's cookie does in any case. */
  add(identity: WatchedGroup): void;
  /** Call it when the whole tree is gone. */
  remove(identity: Pick<WatchedGroup, 'pgid'>): void;
  /** The process and all it starts shall outlive this program. To be called before it is started. */
  spare(processId: string): void;
  /** Ends the watchdog and kills nothing. Calling it again does nothing. */
  close(): Promise<void>;
  /** The watchdog's own pid; `null` while there is none. */
  readonly pid: number | null;
}

export type WatchedGroup = Pick<ProcessIdentity, 'pid' | 'pgid' | 'startedAt'>;

export interface WatchdogOptions {
  readonly supervisorId: string;
  readonly clock: Clock;
  /** Told when the watchdog is missing for a while; it is tried again. */
  readonly reportError?: (error: unknown) => void;
  /** `TROUPE_LINEAGE` of this program. */
  readonly inheritedLineage?: string | undefined;
}

/**
 * How long a group may be unknown to it: a write wakes it up, which for a short command costs more than all the rest.
 * Until then the cookie alone must find what was started.
 */
const batchMs = 5;

const maxStarts = 5;
const startWindowMs = 10_000;
const dismissMs = 1000;

/** A watchdog that was halted does not read; a new one is told in a few hundred bytes what still matters. */
const maxBacklogBytes = 256 * 1024;

export function createWatchdog(options: WatchdogOptions): Watchdog {
  const { supervisorId, clock } = options;
  refuseStrangeId('supervisorId', supervisorId);
  const reportError = options.reportError ?? (() => {});
  const inheritedLineage = 'inheritedLineage' in options ? options.inheritedLineage : process.env[LINEAGE];
  const groups = new Map<number, string>();
  const spared = new Set<string>();
  let current: WatchdogProcess | null = null;
  let startTimesMs: number[] = [];
  let cancelRetry: Cancel | null = null;
  /** Groups that it has not been told of yet. */
  const untold = new Set<number>();
  let unsent = '';
  let cancelFlush: Cancel | null = null;
  let closing: Promise<void> | null = null;

  function tell(line: string): void {
    unsent += line;
    if (current === null) startIfNeeded();
    else flushSoon();
  }

  function flushSoon(): void {
    cancelFlush ??= clock.at(clock.nowMs() + batchMs, flush, { idle: true });
  }

  function flush(): void {
    cancelFlush?.();
    cancelFlush = null;
    const lines = unsent + [...untold].map((pgid) => groups.get(pgid) ?? '').join('');
    unsent = '';
    untold.clear();
    if (current === null || lines === '') return;
    current.write(lines);
    if (current.backlogBytes > maxBacklogBytes) current.end();
  }

  function startIfNeeded(): void {
    if (cancelRetry !== null || closing !== null) return;
    const nowMs = clock.nowMs();
    startTimesMs = startTimesMs.filter((atMs) => nowMs - atMs < startWindowMs);
    if (startTimesMs.length >= maxStarts) {
      retryLater(new Error(`the watchdog ended ${maxStarts} times within ${startWindowMs} ms`));
      return;
    }
    startTimesMs.push(nowMs);
    try {
      start();
    } catch (error) {
      retryLater(error);
    }
  }

  function start(): void {
    const started = startWatchdogProcess({
      supervisorId,
      inheritedLineage,
      onEnd: (error) => onEnd(started, error),
    });
    current = started;
    unsent = '';
    untold.clear();
    started.write([...[...spared].map(toSpareLine), ...groups.values()].join(''));
  }

  function onEnd(ended: WatchdogProcess, error: Error | null): void {
    if (current !== ended) return;
    current = null;
    if (error !== null) reportError(error);
    if (groups.size > 0) startIfNeeded();
  }

  function retryLater(error: unknown): void {
    reportError(error);
    cancelRetry = clock.at(
      clock.nowMs() + startWindowMs,
      () => {
        cancelRetry = null;
        if (groups.size > 0) startIfNeeded();
      },
      { idle: true },
    );
  }

  async function close(): Promise<void> {
    cancelRetry?.();
    cancelFlush?.();
    const last = current;
    current = null;
    await last?.dismiss(dismissMs);
  }

  return {
    prepare: () => {
      if (current === null) startIfNeeded();
    },
    add: ({ pid, pgid, startedAt }) => {
      // A group that is not named after the leader has a life of its own; the cookie is enough to find ours in it.
      const line = pgid === pid && pgid > 1 ? `+ ${pgid} ${startedAt}\n` : '';
      groups.set(pgid, line);
      if (closing !== null) return;
      untold.add(pgid);
      tell('');
    },
    remove: ({ pgid }) => {
      const wasKnown = groups.delete(pgid) && !untold.delete(pgid);
      if (wasKnown && closing === null) tell(`- ${pgid}\n`);
    },
    spare: (processId) => {
      refuseStrangeId('processId', processId);
      spared.add(processId);
      if (closing !== null) return;
      // At once: a process that is to survive must not be found by its cookie before this is known.
      tell(toSpareLine(processId));
      flush();
    },
    close: () => {
      closing ??= close();
      return closing;
    },
    get pid() {
      return current?.pid ?? null;
    },
  };
}

function toSpareLine(processId: string): string {
  return `= ${processId}\n`;
}

/** The ids go into a pattern. */
function refuseStrangeId(name: string, id: string): void {
  if (/^\w+$/.test(id)) return;
  throw new TroupeError({
    code: 'invalid-option',
    message: `${name} must consist of letters, digits and underscores, got ${JSON.stringify(id)}`,
  });
}
