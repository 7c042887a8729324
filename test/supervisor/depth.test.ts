import { afterEach, expect, test, vi } from 'vitest';
import { createSupervisor } from '../../src/index.ts';
import { createVirtualHarness, turn } from '../support/virtual.ts';

afterEach(() => vi.unstubAllEnvs());

async function depthOfProcess(options: { depth?: number } = {}): Promise<string | undefined> {
  await using rig = createVirtualHarness(options);
  rig.supervisor.start({ command: 'serve' });
  await turn();
  return rig.run(0).request.env['TROUPE_DEPTH'];
}

test('without a word of it the depth is 0', async () => {
  vi.stubEnv('TROUPE_DEPTH', undefined);

  expect(await depthOfProcess()).toBe('0');
});

test('the depth of the environment is passed on', async () => {
  vi.stubEnv('TROUPE_DEPTH', '3');

  expect(await depthOfProcess()).toBe('3');
});

test('the depth option overrides the environment', async () => {
  vi.stubEnv('TROUPE_DEPTH', 'abc');

  expect(await depthOfProcess({ depth: 2 })).toBe('2');
});

test.each(['abc', '-1', '1.5', ''])('a depth of %j is refused', (depth) => {
  vi.stubEnv('TROUPE_DEPTH', depth);

  expect(() => createSupervisor({ stateDirectory: false })).toThrow(
    expect.objectContaining({
      code: 'invalid-option',
      message: expect.stringContaining(`the variable TROUPE_DEPTH is ${JSON.stringify(depth)}`),
    }),
  );
});
