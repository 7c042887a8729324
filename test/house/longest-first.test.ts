import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { longFiles } from '../longest-first.ts';
import { rootFolder } from './source-imports.ts';

test('every file that starts first exists', () => {
  expect(longFiles.filter((file) => !existsSync(join(rootFolder, file)))).toEqual([]);
});
