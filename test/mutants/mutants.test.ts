import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rootFolder } from '../house/source-imports.ts';
import { drawMutants } from './draw-mutants.ts';
import { findMutants } from './find-mutants.ts';
import { createRelatedTests } from './related-tests.ts';

test('a seed draws the same mutants again', async () => {
  const draw = {
    root: rootFolder,
    files: ['src/config/nearest.ts', 'src/config/quote.ts'],
    count: 4,
    seed: 7,
  };

  const first = await drawMutants(draw);

  expect(first).toHaveLength(4);
  expect(await drawMutants(draw)).toEqual(first);
  expect(await drawMutants({ ...draw, seed: 8 })).not.toEqual(first);
});

test('a mutant changes nothing but its code', async () => {
  const file = 'src/config/nearest.ts';
  const content = readFileSync(join(rootFolder, file), 'utf8');

  const mutants = await findMutants(rootFolder, file);

  expect(mutants.length).toBeGreaterThan(5);
  for (const { before, after, mutated, line } of mutants) {
    const at = content
      .split('\n')
      .slice(0, line - 1)
      .join('\n').length;
    const from = content.indexOf(before, at);
    expect(mutated.slice(0, at)).toBe(content.slice(0, at));
    expect(mutated).toHaveLength(content.length - before.length + after.length);
    expect(mutated).not.toBe(content);
    expect(from).toBeGreaterThanOrEqual(at);
  }
});

test('the mirrored test of a file comes first', () => {
  const relatedTests = createRelatedTests();

  expect(relatedTests('src/config/nearest.ts')[0]).toBe('test/config/nearest.test.ts');
  expect(relatedTests('src/cli/verbs/init.ts')[0]).toBe('test/cli/init.test.ts');
  expect(relatedTests('src/cli/verbs/kill.ts')).toContain('test/cli/processes/real-processes.test.ts');
});
