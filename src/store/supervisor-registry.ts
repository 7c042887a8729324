/** The entry of a supervisor: `supervisors/<id>.json` in the state directory. */
export interface SupervisorEntry {
  readonly version: 1;
  readonly id: string;
  /** The program that the supervisor is part of. */
  readonly pid: number;
  /** Identifies one program together with the pid; `null` where the system does not say. */
  readonly startedAt: string | null;
  readonly bootId: string | null;
  readonly pidNamespace: string | null;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** `daemon`: started by `troupe serve`, without a program of its own. */
  readonly role: 'program' | 'daemon';
  /** Absolute path of the control socket; `null` while it does not listen. */
  readonly socket: string | null;
}

/**
 * The state of a supervisor. `dead` is proven: another boot, no process with that pid, or one with another
 * start time. `elsewhere`: unknown, as for an entry of another pid namespace on this boot, or a damaged one,
 * which is left alone.
 */
export type SupervisorState = 'alive' | 'dead' | 'elsewhere';

/** The supervisors of a state directory. */
export interface SupervisorRegistry {
  /**
   * Writes or replaces this program's entry.
   *
   * @throws the system's error.
   */
  register(entry: Pick<SupervisorEntry, 'id' | 'role' | 'socket'>): void;
  /** Lists all entries except damaged ones. */
  list(): readonly { readonly entry: SupervisorEntry; readonly state: SupervisorState }[];
  /** Returns `dead` if there is no entry. */
  stateOf(id: string): SupervisorState;
  /** Removes the entry and socket file of a supervisor that ends or is dead, if they exist. */
  unregister(id: string): void;
}
