/** Row of the operating system's process table. */
export interface ProcessEntry {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  /** 0 where the system does not tell. */
  readonly sid: number;
  /** Start time in the table's own unit: only compared for equality with values of the same table. */
  readonly startedAt: string;
  /** False for a zombie, which only holds its pid. */
  readonly alive: boolean;
  /** Halted by SIGSTOP or a terminal: takes no signal but SIGKILL until SIGCONT. */
  readonly stopped: boolean;
  /** Waits in a call that cannot be interrupted. A signal counts before its program continues; a parent in vfork(2) waits there for its child. */
  readonly blocked: boolean;
  /**
   * Command line, arguments joined by blanks; the program's name in brackets without one. Read from the system on first access,
   * so access it while the process is of interest.
   */
  readonly command: string;
}

/** Scope in which pids are valid: one boot of one machine and one pid namespace; `null` where unknown. */
export interface TableScope {
  readonly bootId: string | null;
  readonly pidNamespace: string | null;
}

/** Leader whose descendants are looked for. */
export type LeaderKey = Pick<ProcessEntry, 'pid' | 'startedAt'>;

/** Tells whether the process with this pid is known to be foreign. */
export type IsForeign = (pid: number) => boolean;

/** Reads the machine's process table. Signals nothing. */
export interface ProcessTable {
  /** Reads the entry of one process; `null` where there is none. Costs microseconds on Linux. */
  read(pid: number): Promise<ProcessEntry | null>;
  /** Reads the entries of those of `pids` that exist. */
  readAll(pids: readonly number[]): Promise<readonly ProcessEntry[]>;
  /** Lists all entries this user can see. */
  list(): Promise<readonly ProcessEntry[]>;
  /**
   * Lists every entry that may descend from `leader`, whatever became of the links between them: at least all that began after it
   * and existed during the whole call, without `leader` itself. Includes a process born during the call of a parent that died
   * during it. Foreign processes may be left out.
   */
  listSince(leader: LeaderKey, isForeign?: IsForeign): Promise<readonly ProcessEntry[]>;
  /**
   * Returns the pid that the system assigned last, and the entries of processes that began since it was `after`; none for `null`. Absent where
   * that is expensive.
   */
  listNewborn?(
    after: number | null,
  ): Promise<{ readonly last: number; readonly entries: readonly ProcessEntry[] }>;
  /** Returns those of `entries` whose `TROUPE_LINEAGE`, as it was when their program began, contains `cookie`. */
  filterCarriers(cookie: string, entries: readonly ProcessEntry[]): Promise<readonly ProcessEntry[]>;
  /** Returns those of `entries` whose `TROUPE_LINEAGE` names another origin: it is there, and does not contain `cookie`. */
  filterForeign(cookie: string, entries: readonly ProcessEntry[]): Promise<readonly ProcessEntry[]>;
  /**
   * Returns those of `entries` of which no origin is known: without a parent of their own, in another session than the process
   * that adopted them, and with an environment that is empty, overwritten or unreadable, or one without any lineage while they work in
   * the directory `cwd`. Only this user's. Empty where the system does not tell.
   */
  filterUntraceable(entries: readonly ProcessEntry[], cwd: string | null): Promise<readonly ProcessEntry[]>;
  scope(): Promise<TableScope>;
}
