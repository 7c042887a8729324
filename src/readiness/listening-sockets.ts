/** Who holds a port. */
export interface PortHolder {
  /** `null` where the system does not let us see it: it is another user's. */
  readonly pid: number | null;
  readonly command: string;
}

/** A TCP socket that listens: the kernel takes connections on it, whether or not its program calls accept(2). */
export interface ListeningSocket {
  /** In the notation of `node:net`; `0.0.0.0` and `::` stand for all addresses. */
  readonly address: string;
  /** `unknown` where it may be, but we may not look into all of `pids`. */
  isHeldBy(pids: readonly number[]): Promise<'yes' | 'no' | 'unknown'>;
  /** Looks through all processes; `null` when nobody holds it any more. */
  findHolder(): Promise<PortHolder | null>;
}

export interface SocketTable {
  /** All of this network namespace that listen on `port` at this moment. */
  listening(port: number): Promise<readonly ListeningSocket[]>;
  /** The ports on which one of these processes listens, in ascending order. */
  portsOf(pids: readonly number[]): Promise<readonly number[]>;
}
