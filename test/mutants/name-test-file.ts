import { relative } from 'node:path';
import { beforeAll, expect } from 'vitest';

function nameTestFile(): void {
  process.env['TROUPE_MUTANT_TEST'] = relative(process.cwd(), expect.getState().testPath ?? '');
}

// Modules are loaded before the first hook.
nameTestFile();
beforeAll(nameTestFile);
