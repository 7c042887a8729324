import { expect, test } from 'vitest';
import { runProgram } from '../../src/spawn/start-child.ts';

test('a short program that takes too long has failed', async () => {
  const result = await runProgram('sleep', ['600'], { timeout: 50 });

  expect(result).toMatchObject({ failed: true, exitCode: undefined });
  expect(result.shortMessage).toContain('timed out');
});

test('a short program that prints without end has failed', async () => {
  const result = await runProgram('yes', [], { maxBuffer: 1_000 });

  expect(result.failed).toBe(true);
  expect(result.stdout.length).toBeLessThanOrEqual(1_000);
});

test('a short program that does not exist has failed', async () => {
  const result = await runProgram('/no/such/program', []);

  expect(result).toMatchObject({ failed: true, exitCode: undefined, stdout: '', cause: { code: 'ENOENT' } });
});

test('a short program gets its input', async () => {
  const result = await runProgram('cat', [], { input: 'given' });

  expect(result).toMatchObject({ failed: false, exitCode: 0, stdout: 'given' });
});
