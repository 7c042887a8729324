/** Process that holds a port. */
export interface PortHolder {
  /** `null` if the process of another user is hidden from us. */
  readonly pid: number | null;
  readonly command: string;
}

/** Listening TCP socket: the kernel accepts connections, even if its program never calls accept(2). */
export interface ListeningSocket {
  /** Address in the notation of `node:net`; `0.0.0.0` and `::` stand for all addresses. */
  readonly address: string;
  /** Resolves to `unknown` if some of `pids` cannot be inspected and no other one holds the socket. */
  isHeldBy(pids: readonly number[]): Promise<'yes' | 'no' | 'unknown'>;
  /** Searches all processes for the holder; `null` if there is none any more. */
  findHolder(): Promise<PortHolder | null>;
}

export interface SocketTable {
  /** Returns all sockets of this network namespace that listen on `port` now. */
  listening(port: number): Promise<readonly ListeningSocket[]>;
  /** Returns the ports on which one of these processes listens, in ascending order. */
  portsOf(pids: readonly number[]): Promise<readonly number[]>;
}
