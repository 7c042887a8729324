import type { Cancel } from '../../clock/clock.ts';
import type { Backend, BackendPort } from '../backend.ts';
import { RemoteAttempt } from './remote-attempt.ts';
import type { RemoteHosts } from './remote-hosts.ts';

/**
 * Runs commands on other hosts: a worker of the pool takes the order, runs it with a backend of its own, and sends its facts and output
 * through the log of the attempt. The process continues there if this program ends, and is adopted by reading the log.
 */
export function createRemoteBackend(hosts: RemoteHosts): Backend {
  const follow = (port: BackendPort, begin: (attempt: RemoteAttempt) => void): Cancel => {
    const attempt = new RemoteAttempt(port, hosts);
    port.onCommand((command) => attempt.execute(command));
    begin(attempt);
    return () => attempt.detach();
  };
  return {
    mode: 'remote',
    capabilities: {
      input: true,
      terminal: true,
      osProcesses: true,
      separateStreams: true,
      durable: true,
      limits: true,
    },
    run: (port) => follow(port, (attempt) => void attempt.start()),
    adopt: (port) => follow(port, (attempt) => void attempt.adopt()),
    close: () => hosts.close(),
  };
}
