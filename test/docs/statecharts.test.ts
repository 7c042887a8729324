import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { renderStatecharts } from '../../docs/statecharts/render.ts';

const folder = join(import.meta.dirname, '../../docs/statecharts');

test('pictures of the statecharts are up to date', async () => {
  const expected = await renderStatecharts();

  const written = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith('.ts'))
    .map(({ name }) => name);

  const stale = [...expected].filter(([name, text]) => read(name) !== text).map(([name]) => name);
  const orphaned = written.filter((name) => !expected.has(name));
  expect({ stale, orphaned }, 'docs/statecharts is not what the machines say: run `npm run graph`').toEqual({
    stale: [],
    orphaned: [],
  });
});

function read(name: string): string | null {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return null;
  }
}
