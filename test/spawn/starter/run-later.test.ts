import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { BackendCommand } from '../../../machines/process/events.ts';
import type { BackendPort } from '../../../src/spawn/backend.ts';
import { runLater } from '../../../src/spawn/starter/run-later.ts';

const survey = { type: 'tree.survey' } as BackendCommand;

/** An attempt whose start lasts until a test ends it. */
function arrange() {
  const heard: unknown[] = [];
  let send: (command: BackendCommand) => void = () => {};
  let inner: BackendPort['onCommand'] = () => {};
  const start = Promise.withResolvers<() => void>();
  const port = {
    onCommand: (listener: typeof send) => {
      send = listener;
    },
    tell: (fact: unknown) => heard.push(fact),
  } as unknown as BackendPort;
  const cancel = runLater(port, (later) => {
    inner = later.onCommand;
    return start.promise;
  });
  return {
    ...{ heard, start, cancel },
    send: (command: BackendCommand) => send(command),
    listen: () => inner((command) => void heard.push(command)),
  };
}

test('commands wait for the start, and are heard in order', () => {
  const { heard, send, listen } = arrange();
  const settle = { type: 'output.settle', quietMs: 5 } as const;

  send(survey);
  send(settle);
  expect(heard).toEqual([]);
  listen();
  expect(heard).toEqual([survey, settle]);
  send(survey);

  expect(heard).toEqual([survey, settle, survey]);
});

test('a cancelled start is cancelled once it is over', async () => {
  const { heard, start, cancel } = arrange();

  cancel();
  start.resolve(() => heard.push('cancelled'));
  expect(heard).toEqual([]);
  await setImmediate();

  expect(heard).toEqual(['cancelled']);
});

test('a cancel after the start passes it on', async () => {
  const { heard, start, cancel } = arrange();

  start.resolve(() => heard.push('cancelled'));
  await setImmediate();
  expect(heard).toEqual([]);
  cancel();

  expect(heard).toEqual(['cancelled']);
});

test('a start that breaks off is lost with the reason', async () => {
  const { heard, start } = arrange();

  start.reject(new Error('no more files'));
  await setImmediate();

  expect(heard).toEqual([{ type: 'process.lost', why: 'its start broke off: no more files' }]);
});
