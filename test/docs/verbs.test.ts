import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { verbGroups } from '../../src/cli/verbs.ts';

const root = join(import.meta.dirname, '../..');

test('every verb that the documentation uses exists', () => {
  const known = new Set(['help', ...Object.values(verbGroups).flatMap(Object.keys)]);
  const used = ['README.md', ...globSync('docs/**/*.md', { cwd: root })].flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8');
    const code = [...text.matchAll(/^```sh\n(.*?)^```$/gms), ...text.matchAll(/`([^`\n]+)`/g)];
    const calls = code.flatMap(({ 1: part = '' }) => [...part.matchAll(/(?:^|[ (`])troupe ([a-z]+)\b/gm)]);
    return calls.map(([, verb = '']) => ({ page, verb }));
  });

  expect(used.length).toBeGreaterThan(100);
  expect(used.filter(({ verb }) => !known.has(verb))).toEqual([]);
});
