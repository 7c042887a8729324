import { test } from 'vitest';
import { checkRandomPrograms } from './random-commands.ts';
import { createRandomScriptedWorld } from './random-scripted-world.ts';

test('random programs on scripts agree with the reference model', { timeout: 120_000 }, async () => {
  await checkRandomPrograms(createRandomScriptedWorld, { runs: 150, length: 40, seed: 2_026 });
});
