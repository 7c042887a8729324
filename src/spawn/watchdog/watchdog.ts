import type { Cancel, Clock } from '../../clock/clock.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { LINEAGE } from '../environment.ts';
import type { ProcessIdentity } from '../tree/identity.ts';
import { startWatchdogProcess, type WatchdogProcess } from './watchdog-process.ts';

/**
 * Kills the processes of a supervisor that died without ending them itself, even by SIGKILL: a small `sh` in its own session
 * notices the death by the end of a pipe that only this program holds. It starts with the first process and costs one write per
 * process. A watchdog that dies is replaced, and the new one gets all groups and exemptions again.
 */
export interface Watchdog {
  /** Starts the watchdog if none runs. Must be called before a process is started: from then on the cookie is enough. */
  prepare(): void;
  /** Makes a group die with this program. Carriers of the supervisor's cookie do in any case. */
  add(identity: WatchedGroup): void;
  /** Forgets a group. To be called when its whole tree is gone. */
  remove(identity: Pick<WatchedGroup, 'pgid'>): void;
  /** Exempts a process and all it starts, which are to outlive this program. Must be called before the start. */
  exempt(processId: string): void;
  /** Ends the watchdog without killing anything. Repeated calls do nothing. */
  close(): Promise<void>;
  /** Pid of the watchdog; `null` while none runs. */
  readonly pid: number | null;
}

type WatchedGroup = Pick<ProcessIdentity, 'pid' | 'pgid' | 'startedAt'>;

interface WatchdogOptions {
  readonly supervisorId: string;
  readonly clock: Clock;
  /** Cgroup of the processes that end with the supervisor. Default: none. */
  readonly cgroup?: string | null;
  /** Called when the watchdog is missing for a while; it is started again later. */
  readonly reportError?: (error: unknown) => void;
  /** `TROUPE_LINEAGE` of this program. */
  readonly inheritedLineage?: string | undefined;
}

/**
 * Time for which a group may be unknown to the watchdog: a write wakes it up, which for a short command costs more than the rest of the start.
 * Until then only the cookie can find the started processes.
 */
const batchMs = 5;

const maxStarts = 5;
const startWindowMs = 10_000;
const dismissMs = 1000;

/** Backlog of a halted watchdog that does not read; a new one needs only a few hundred bytes. */
const maxBacklogBytes = 256 * 1024;

export function createWatchdog(options: WatchdogOptions): Watchdog {
  const { supervisorId, clock } = options;
  validateId('supervisorId', supervisorId);
  const groups = new Map<number, string>();
  const exempted = new Set<string>();
  /** Groups that were not sent yet. */
  const unsentGroups = new Set<number>();
  let unsent = '';
  let cancelFlush: Cancel | null = null;
  let closing: Promise<void> | null = null;
  const restarter = createRestarter({
    ...options,
    isNeeded: () => closing === null && groups.size > 0,
    onStarted: (started) => {
      unsent = '';
      unsentGroups.clear();
      started.write([...[...exempted].map(toExemptLine), ...groups.values()].join(''));
    },
  });

  function sendLine(line: string): void {
    unsent += line;
    if (restarter.current() === null) startIfNeeded();
    else flushSoon();
  }

  function startIfNeeded(): void {
    if (closing === null) restarter.start();
  }

  function flushSoon(): void {
    cancelFlush ??= clock.at(clock.nowMs() + batchMs, flush, { idle: true });
  }

  function flush(): void {
    cancelFlush?.();
    cancelFlush = null;
    const lines = unsent + [...unsentGroups].map((pgid) => groups.get(pgid) ?? '').join('');
    unsent = '';
    unsentGroups.clear();
    const current = restarter.current();
    if (current === null || lines === '') return;
    current.write(lines);
    if (current.backlogBytes > maxBacklogBytes) current.end();
  }

  return {
    prepare: () => {
      if (restarter.current() === null) startIfNeeded();
    },
    add: ({ pid, pgid, startedAt }) => {
      // A group that is not named after the leader may hold foreign processes; the cookie finds ours in it.
      const line = pgid === pid && pgid > 1 ? `+ ${pgid} ${startedAt}\n` : '';
      groups.set(pgid, line);
      if (closing !== null) return;
      unsentGroups.add(pgid);
      sendLine('');
    },
    remove: ({ pgid }) => {
      const wasKnown = groups.delete(pgid) && !unsentGroups.delete(pgid);
      if (wasKnown && closing === null) sendLine(`- ${pgid}\n`);
    },
    exempt: (processId) => {
      validateId('processId', processId);
      exempted.add(processId);
      if (closing !== null) return;
      // Flushed at once: the watchdog must know this before it can find the process by its cookie.
      sendLine(toExemptLine(processId));
      flush();
    },
    close: () => {
      cancelFlush?.();
      closing ??= restarter.close();
      return closing;
    },
    get pid() {
      return restarter.current()?.pid ?? null;
    },
  };
}

/** Keeps one watchdog process running: replaces one that ends, and pauses after too many ends in a row. */
function createRestarter(
  options: WatchdogOptions & {
    /** Tells whether a process that has ended is replaced. */
    readonly isNeeded: () => boolean;
    readonly onStarted: (started: WatchdogProcess) => void;
  },
) {
  const { supervisorId, clock, isNeeded } = options;
  const reportError = options.reportError ?? (() => {});
  const inheritedLineage = 'inheritedLineage' in options ? options.inheritedLineage : process.env[LINEAGE];
  let current: WatchdogProcess | null = null;
  let startTimesMs: number[] = [];
  let cancelRetry: Cancel | null = null;

  function start(): void {
    if (cancelRetry !== null) return;
    const nowMs = clock.nowMs();
    startTimesMs = startTimesMs.filter((atMs) => nowMs - atMs < startWindowMs);
    if (startTimesMs.length >= maxStarts) {
      retryLater(new Error(`the watchdog ended ${maxStarts} times within ${startWindowMs} ms`));
      return;
    }
    startTimesMs.push(nowMs);
    try {
      const started = startWatchdogProcess({
        supervisorId,
        cgroup: options.cgroup ?? null,
        inheritedLineage,
        onEnd: (error) => onEnd(started, error),
      });
      current = started;
      options.onStarted(started);
    } catch (error) {
      retryLater(error);
    }
  }

  function onEnd(ended: WatchdogProcess, error: Error | null): void {
    if (current !== ended) return;
    current = null;
    if (error !== null) reportError(error);
    if (isNeeded()) start();
  }

  function retryLater(error: unknown): void {
    reportError(error);
    cancelRetry = clock.at(
      clock.nowMs() + startWindowMs,
      () => {
        cancelRetry = null;
        if (isNeeded()) start();
      },
      { idle: true },
    );
  }

  return {
    current: () => current,
    /** Starts a process, unless it is paused after too many ends. */
    start,
    close: async () => {
      cancelRetry?.();
      const last = current;
      current = null;
      await last?.dismiss(dismissMs);
    },
  };
}

function toExemptLine(processId: string): string {
  return `= ${processId}\n`;
}

/** Refuses ids with other characters, because ids become part of a regular expression. */
function validateId(name: string, id: string): void {
  if (/^[\w.-]+$/.test(id)) return;
  throw new TroupeError({
    code: 'invalid-option',
    message: `${name} must consist of letters, digits, underscores, dots and hyphens, got ${JSON.stringify(id)}`,
  });
}
