import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rootFolder } from './examples.ts';

test.each([
  ['a good release', [], 'deploy completed: uploading\nuploaded\nlive\n'],
  [
    'a broken release',
    ['--broken'],
    'deploy completed: uploading\nuploaded\ncheck failed: HTTP 500\nrolledBack\n',
  ],
] as const)('the deploy pipeline ends as it should for %s', (_, args, output) => {
  const file = join(rootFolder, 'examples/deploy-pipeline.ts');

  const { status, stdout, stderr } = spawnSync(process.execPath, [file, ...args], {
    ...{ encoding: 'utf8', timeout: 50_000 },
  });

  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: output, stderr: '' });
});
