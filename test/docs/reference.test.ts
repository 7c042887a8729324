import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generatedPages } from '../../docs/reference/generate.ts';
import { rootFolder } from './examples.ts';

function readPage(file: string): string {
  return readFileSync(join(rootFolder, 'docs/reference', file), 'utf8');
}

test.each(Object.entries(generatedPages))(
  '%s is what the code says (npm run reference)',
  { timeout: 300_000 },
  (file, toText) => {
    expect(readPage(file)).toBe(toText());
  },
);
