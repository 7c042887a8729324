import { expect, test } from 'vitest';
import { runCrashRounds } from './crash-rounds.ts';

test('twenty kills break no law', { timeout: 400_000 }, async () => {
  const { broken, started, adopted } = await runCrashRounds({ rounds: 20, seed: 2_024 });

  expect(broken.join('\n')).toBe('');
  expect(started).toBeGreaterThan(20);
  expect(adopted).toBeGreaterThan(5);
});
