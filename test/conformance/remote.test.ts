import { afterAll, beforeAll, describe } from 'vitest';
import type { TerminalSize } from '../../machines/process/terminal.ts';
import { openWorker, type RemoteWorker } from '../../src/remote/index.ts';
import type { Backend, BackendPort, PortableRequest, SpawnRequest, Work } from '../../src/spawn/backend.ts';
import { createRemoteBackend } from '../../src/spawn/remote/remote-backend.ts';
import { createRemoteHosts } from '../../src/spawn/remote/remote-hosts.ts';
import { hasNatsServer, type NatsServer, startNats } from '../support/nats.ts';
import { carriers, endAll } from '../support/os.ts';
import { type BackendUnderTest, describeBackend } from './backend-conformance.ts';
import { describeTerminal } from './terminal-conformance.ts';

const shell = (script: string): Work => ({ type: 'shell', shell: '/bin/sh', script });

const throws = (error: unknown) => {
  throw error;
};

/** Adds what a supervisor adds for another host. */
function makePortable(port: BackendPort): BackendPort {
  const portable: PortableRequest = {
    pool: 'default',
    identity: port.request.id,
    owner: 'user',
    depth: 0,
    overrides: port.request.env,
    hints: { pager: false, gitPrompt: false, term: false },
    orderedAt: Date.now(),
  };
  return { ...port, request: { ...port.request, portable } };
}

describe.skipIf(!(await hasNatsServer()))('on another host', () => {
  let nats: NatsServer;
  let worker: RemoteWorker;
  beforeAll(async () => {
    nats = await startNats();
    worker = await openWorker({ servers: nats.url, capacity: 20, onError: throws });
  });
  afterAll(async () => {
    await worker.close();
    await nats[Symbol.asyncDispose]();
  });

  const createRemoteUnderTest = (terminal?: TerminalSize): BackendUnderTest => {
    const requests = new Set<SpawnRequest>();
    const hosts = createRemoteHosts(
      { servers: [nats.url] },
      { owner: 'conformance', supervisorId: 'sup_conform', reportError: throws },
    );
    const backend = createRemoteBackend(hosts);
    return {
      backend: {
        ...backend,
        // A terminal mixes the streams.
        capabilities: { ...backend.capabilities, separateStreams: terminal === undefined },
        run: (port) => {
          requests.add(port.request);
          return backend.run(makePortable(port));
        },
      } satisfies Backend,
      work: {
        greets: { type: 'argv', file: 'echo', args: ['hello'] },
        // The worker adds its own environment and identity.
        tells: null,
        fails: shell('printf half; printf problem >&2; exit 3'),
        obeys: shell('sleep 300 & echo up; wait'),
        ignoresTerm: shell('trap "" TERM; echo up; while :; do sleep 0.05; done'),
        // The end of the leader of a terminal hangs up, which a leftover must ignore.
        leaves: shell('trap "" HUP; sleep 300 & echo up'),
        echoes: { type: 'argv', file: 'cat', args: [] },
        missing: { type: 'argv', file: 'no-such-program-anywhere', args: [] },
      },
      ...(terminal !== undefined && { terminal }),
      members: ({ id }) => carriers(`/${id}/`),
      isGone: ({ id }) => carriers(`/${id}/`).length === 0,
      end: async () => {
        for (const { id } of requests) await endAll([], `/${id}/`);
        await backend.close?.();
      },
    };
  };

  describeBackend('remote', () => createRemoteUnderTest());
  describeTerminal('remote', () => createRemoteUnderTest());
  describe('in a terminal', () => {
    describeBackend('remote', () => createRemoteUnderTest({ columns: 80, rows: 24 }));
  });
});
