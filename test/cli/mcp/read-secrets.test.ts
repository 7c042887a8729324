import { expect, test } from 'vitest';
import { readSecrets } from '../../../src/cli/verbs/mcp.ts';

test('a secret comes from a variable or a file', () => {
  const secrets = readSecrets(['npm-token=env:NPM_TOKEN', 'deploy=file:/run/a=b:c']);

  expect(secrets).toEqual({ 'npm-token': { env: 'NPM_TOKEN' }, deploy: { file: '/run/a=b:c' } });
});

test.each([
  ['npm-token=hunter2', 'npm-token=env:VARIABLE or npm-token=file:PATH'],
  ['npm-token=env:', 'npm-token=env:VARIABLE or npm-token=file:PATH'],
  ['npm-token=ask:Your token?', 'a person cannot be asked here'],
  ['hunter2', 'such as npm-token=env:NPM_TOKEN'],
  ['-x=env:hunter2', 'such as npm-token=env:NPM_TOKEN'],
])('%s is no secret', (assignment, words) => {
  expect(() => readSecrets([assignment])).toThrow(words);
  expect(() => readSecrets([assignment])).not.toThrow('hunter2');
});

test('a name that is given twice is refused', () => {
  expect(() => readSecrets(['a=env:A', 'a=env:B'])).toThrow('--secret a is given twice');
});
