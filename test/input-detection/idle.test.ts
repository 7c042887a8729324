import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { fixtureProgram } from '../support/os.ts';

test('sixty-four that may be typed to cost next to nothing', { timeout: 180_000 }, async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    fixtureProgram('idle-inputs.ts'),
  ]);

  const [, share, waiting] = stdout.trim().split(' ');

  expect(Number(waiting)).toBe(32);
  expect(Number(share)).toBeLessThan(0.01);
});
