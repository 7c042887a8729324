import { afterEach, expect, test } from 'vitest';
import { forwardInput } from '../../../src/cli/verbs/run/forward-input.ts';
import { runInDaemon } from '../../../src/cli/verbs/run/run-in-daemon.ts';
import type { RunRequest } from '../../../src/cli/verbs/run/run-request.ts';
import { TroupeError } from '../../../src/config/troupe-error.ts';
import type { StateDirectory } from '../../../src/state-directory/state-directory.ts';
import { waitUntil } from '../../support/os.ts';
import { fakeIo } from '../fake-io.ts';
import { fakeStateDirectory } from '../fake-state-directory.ts';
import { processView } from '../process-views.ts';

const view = processView({ id: 'tool_a' });
const silent = async () => {
  throw new TroupeError({ code: 'unreachable', message: 'The supervisor did not answer.' });
};

const before = new Map(
  ['SIGINT', 'SIGPIPE'].map((signal) => [signal, process.listeners(signal as 'SIGINT')]),
);

afterEach(() => {
  for (const [signal, listeners] of before) {
    const own = process.listeners(signal as 'SIGINT').filter((listener) => !listeners.includes(listener));
    for (const listener of own) process.off(signal, listener);
  }
});

/** A run in front of a daemon that stops answering. */
function runBefore(halted: Partial<StateDirectory>, { hasInput = false }: { hasInput?: boolean } = {}) {
  const fake = fakeIo();
  const { open } = fakeStateDirectory([{ view }]);
  const order: RunRequest = {
    ...{ words: ['cat'], isShell: false, command: ['cat'], place: { cwd: '/project' }, env: {}, label: null },
    replaces: false,
    ...{
      timeoutMs: 100_000,
      onTimeout: 'background',
      maxTimeMs: 0,
      graceMs: null,
      limits: undefined,
      promotes: true,
      hasInput,
    },
    ...{
      background: false,
      isInteractive: false,
      isAtTerminal: false,
      json: false,
      stateDirectory: '/project/.troupe',
      io: fake.io,
    },
  };
  const code = runInDaemon(order, {
    open: () => ({ ...open(), ...halted }),
    daemon: async () => ({ start: async () => view, close: () => {} }),
  });
  return { ...fake, code };
}

test('Ctrl-C sets the exit code when the daemon is unreachable', async () => {
  const count = process.listenerCount('SIGINT');
  const { code, stderr } = runBefore({ kill: silent });
  await waitUntil(() => process.listenerCount('SIGINT') > count);

  process.emit('SIGINT', 'SIGINT');

  expect(await code).toBe(130);
  expect(stderr()).toContain('The supervisor did not answer.');
  expect(stderr()).toContain('The end of tool_a is unknown; it may still be running.');
});

test.each(['write', 'endInput'] as const)('run reports an unreachable daemon when %s fails', async (call) => {
  const { code, stderr, endInput } = runBefore({ [call]: silent }, { hasInput: true });

  endInput('x\n');

  expect(await code).toBe(1);
  expect(stderr()).toContain('The supervisor did not answer.');
});

test('a broken stdin counts as its end', async () => {
  const { io } = fakeIo();
  const taken: string[] = [];
  const done = async () => ({ ok: true, bytesWritten: 0 }) as const;
  const passing = forwardInput(io, {
    write: async (data) => {
      taken.push(Buffer.from(data).toString());
      return done();
    },
    endInput: async () => {
      taken.push('end');
      return done();
    },
  });

  io.stdin.push('x');
  await waitUntil(() => taken.length > 0);
  io.stdin.destroy(new Error('EIO'));

  await passing;
  expect(taken).toEqual(['x', 'end']);
});
