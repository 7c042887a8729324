import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { exitCodes } from '../../src/cli/exit-codes.ts';
import { checkStack } from '../../src/cli/verbs/up/stack-file.ts';
import { parseYaml } from '../../src/config/parse-yaml.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../../docs', path), 'utf8');

test('the stack in the guide is accepted', async () => {
  const [, text = ''] = /^```yaml\n(.*?)^```$/ms.exec(read('guides/using-the-cli.md')) ?? [];

  const { processes } = await parseYaml(text, {
    file: 'troupe.yaml',
    code: 'invalid-option',
    check: (value) => checkStack(value, { directory: import.meta.dirname, env: {} }),
  });

  expect(Object.keys(processes)).toEqual(['db', 'migrate', 'web']);
});

test.each(Object.entries(exitCodes))('the reference names the exit code of %s', (_name, code) => {
  const reference = read('reference/exit-codes.md');

  expect(reference).toContain(`\n| \`${code}\` |`);
});
