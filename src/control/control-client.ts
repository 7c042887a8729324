import {
  type CallOptions,
  type ConnectOptions,
  type ControlConnection,
  openConnection,
} from './control-connection.ts';
import { type AskMethod, type ControlParams, type ControlResults, MAX_REQUESTS } from './protocol.ts';

/**
 * One connection to a supervisor. Calls reject with TroupeError: what the supervisor refused, with its own code; `unreachable` where
 * it is gone, or did not answer in time; `protocol` where it is no supervisor of ours. With `signal` they reject with its reason.
 */
export interface ControlClient {
  call<M extends AskMethod>(
    method: M,
    params: ControlParams<M>,
    options?: CallOptions,
  ): Promise<ControlResults[M]>;
  /** The supervisor takes at most so many requests at a time: another connection is to be used beyond that. */
  readonly isFull: boolean;
  readonly isClosed: boolean;
  close(): void;
}

/** @throws TroupeError `unreachable`, with what to do: nobody listens there, or it belongs to another user. */
export async function connectControl(
  socketPath: string,
  options: ConnectOptions = {},
): Promise<ControlClient> {
  const connection = await openConnection(socketPath, options);
  return {
    call: (method, params, callOptions) => {
      const asked = connection.ask({ method, params }, callOptions);
      const { pulseMs } = callOptions ?? {};
      return (pulseMs === undefined ? asked : whileAlive(connection, { asked, pulseMs })) as Promise<never>;
    },
    get isFull() {
      return connection.underWay >= MAX_REQUESTS - 1;
    },
    get isClosed() {
      return connection.isClosed;
    },
    close: connection.close,
  };
}

/** The answer, or `unreachable` as soon as the supervisor does not answer anything any more. */
function whileAlive(
  connection: ControlConnection,
  { asked, pulseMs }: { asked: Promise<unknown>; pulseMs: number },
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const beat = () => {
      connection.ask({ method: 'hello', params: {} }, { deadlineMs: pulseMs }).catch((error) => {
        clearInterval(beats);
        reject(error);
      });
    };
    const beats = setInterval(beat, pulseMs);
    asked.then(resolve, reject).finally(() => clearInterval(beats));
  });
}
