/** What a supervisor writes down of itself: `supervisors/<id>.json` in the state directory. */
export interface SupervisorEntry {
  readonly version: 1;
  readonly id: string;
  /** The program it is part of. */
  readonly pid: number;
  /** With the pid it names one program for ever; `null` where the system does not say. */
  readonly startedAt: string | null;
  readonly bootId: string | null;
  readonly pidNamespace: string | null;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** `daemon`: started by `troupe serve`, without a program of its own. */
  readonly role: 'program' | 'daemon';
  /** The control socket, absolute; `null` until it listens, and where it does not. */
  readonly socket: string | null;
}

/**
 * `dead` is proven: another boot, nobody with that pid, or somebody who began at another time. `elsewhere`: nothing can be told, as of an
 * entry of another pid namespace of this boot, or a damaged one. It is left alone.
 */
export type SupervisorState = 'alive' | 'dead' | 'elsewhere';

/** Who supervises in a state directory. */
export interface SupervisorRegistry {
  /** Writes this program's entry, or replaces it. @throws what the system says. */
  register(entry: Pick<SupervisorEntry, 'id' | 'role' | 'socket'>): void;
  /** Damaged entries are left out. */
  list(): readonly { readonly entry: SupervisorEntry; readonly state: SupervisorState }[];
  /** `dead` where there is no entry. */
  stateOf(id: string): SupervisorState;
  /** Takes the entry and its socket file away, for who ends and for one that is dead. One that is not there is no mistake. */
  unregister(id: string): void;
}
