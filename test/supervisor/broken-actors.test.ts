import { expect, test } from 'vitest';
import { parseOptions } from '../../src/config/parse-options.ts';
import { supervisorOptions } from '../../src/config/supervisor-options.ts';
import type { Backend } from '../../src/spawn/backend.ts';
import { parseSpec } from '../../src/supervisor/plan-process.ts';
import { createRuntime } from '../../src/supervisor/runtime.ts';
import { shutDown } from '../../src/supervisor/shut-down.ts';
import { startProcess } from '../../src/supervisor/start-process.ts';
import { createSupervisorDeps } from '../../src/supervisor/supervisor-deps.ts';
import { carriers, waitUntil } from '../support/os.ts';

/** Supervises real processes through a backend that was tampered with. */
function openTampered(tamper: (real: Backend) => Backend) {
  const settings = parseOptions(supervisorOptions, { input: { stateDirectory: false }, name: 'test' });
  const real = createSupervisorDeps(settings, { reportError: () => {}, onIdentity: () => {} });
  const deps = { ...real, backend: tamper(real.backend) };
  const runtime = createRuntime(deps, () => {});
  return {
    start: (command: string) => startProcess(parseSpec({ command }), { runtime, deps }),
    alive: () => carriers(`/${deps.supervisorId}/`),
    [Symbol.asyncDispose]: async () => void (await shutDown(runtime, deps)),
  };
}

test('a backend that breaks leaks no process', async () => {
  await using rig = openTampered((real) => ({
    ...real,
    run: (port) => {
      real.run(port);
      throw new Error('boom');
    },
  }));

  const view = await rig.start('sleep 600 & exec sleep 600').ended;

  expect(view.reason).toEqual({ type: 'lost', why: expect.stringContaining('boom') });
  await waitUntil(() => rig.alive().length === 0);
});

test('a process actor that breaks leaks no process', async () => {
  await using rig = openTampered((real) => real);
  const process = rig.start('sleep 600 & exec sleep 600');
  await waitUntil(() => rig.alive().length === 2);

  process.life.deadlines.arm = () => {
    throw new Error('boom');
  };
  process.handle.background();
  const view = await process.ended;

  expect(view.reason).toEqual({ type: 'lost', why: expect.stringContaining('boom') });
  await waitUntil(() => rig.alive().length === 0);
});
