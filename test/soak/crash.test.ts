import { expect, test } from 'vitest';
import { volume } from '../support/volume.ts';
import { runCrashRounds } from './crash-rounds.ts';

test('random kills break no law', { timeout: 400_000 }, async () => {
  const rounds = volume(8, 20);

  const { broken, started, adopted } = await runCrashRounds({ rounds, seed: 2_024 });

  expect(broken.join('\n')).toBe('');
  expect(started).toBeGreaterThan(rounds);
  expect(adopted).toBeGreaterThan(rounds / 4);
});
