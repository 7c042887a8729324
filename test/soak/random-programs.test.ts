import { test } from 'vitest';
import { checkRandomPrograms } from '../model/random-commands.ts';
import { createRandomRealWorld } from './random-real-world.ts';

/** `npm run soak:random` runs more, each time others. */
const runs = Number(process.env['TROUPE_RANDOM_RUNS'] ?? 5);
const seed = process.env['TROUPE_RANDOM_RUNS'] === undefined ? 7 : Date.now() % 1_000_000;

test('random programs on real processes agree with the reference model', { timeout: 1_800_000 }, async () => {
  await checkRandomPrograms(createRandomRealWorld, { runs, length: 20, seed });
});
