/** One row of the operating system's process table. */
export interface ProcessEntry {
  readonly pid: number;
  readonly ppid: number;
  readonly pgid: number;
  /** 0 where the system does not tell. */
  readonly sid: number;
  /** When it began, in the table's own unit: only ever compared for equality with the same table's values. */
  readonly startedAt: string;
  /** A zombie or dead entry is not alive: it holds a number and nothing else. */
  readonly alive: boolean;
  /** Halted by SIGSTOP or a terminal: it takes no signal but SIGKILL until SIGCONT. */
  readonly stopped: boolean;
  /**
   * The command line, arguments joined by blanks; the program's name in brackets where it has none. Read from the
   * system when it is first asked for, so ask while the process is of interest.
   */
  readonly command: string;
}

/** A pid means a process only on one boot of one machine and in one pid namespace; `null` where unknown. */
export interface TableScope {
  readonly bootId: string | null;
  readonly pidNamespace: string | null;
}

/** Whose descendants are looked for. */
export type LeaderKey = Pick<ProcessEntry, 'pid' | 'startedAt'>;

/** Whether the process that has this number now is known to be somebody else's. */
export type IsForeign = (pid: number) => boolean;

/** Reads the machine's process table. Nothing here signals. */
export interface ProcessTable {
  /** The entry of one process, or `null` when there is none. Costs microseconds on Linux. */
  read(pid: number): Promise<ProcessEntry | null>;
  /** The entries of those of `pids` that there are. */
  readAll(pids: readonly number[]): Promise<readonly ProcessEntry[]>;
  /** All entries this user can see. */
  list(): Promise<readonly ProcessEntry[]>;
  /**
   * Every entry that may descend from `elder`, whatever became of the links between them: at least all that began
   * after it and were there during the whole call, `elder` itself not. A process born while the call looks, of one
   * that died while it looks, is among them. Strangers, who are known not to descend from it, may be left out.
   */
  listSince(elder: LeaderKey, isStranger?: IsForeign): Promise<readonly ProcessEntry[]>;
  /** Those of `entries` whose `TROUPE_LINEAGE`, as it was when their program began, contains `cookie`. */
  filterCarriers(cookie: string, entries: readonly ProcessEntry[]): Promise<readonly ProcessEntry[]>;
  /**
   * Those of `entries` that nobody can be said to have started: without a parent of their own, in another session than the one they were handed
   * to, and with an environment that is empty, overwritten or closed to us. Only this user's. Empty where the system does not tell.
   */
  filterUntraceable(entries: readonly ProcessEntry[]): Promise<readonly ProcessEntry[]>;
  scope(): Promise<TableScope>;
}
