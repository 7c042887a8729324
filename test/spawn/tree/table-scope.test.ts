import { expect, test } from 'vitest';
import { createCurrentTable } from '../../../src/spawn/tree/current-table.ts';
import { readTableScope } from '../../../src/spawn/tree/table-scope.ts';

test('the scope equals that of the process table', async () => {
  const scope = readTableScope();

  expect(scope).toEqual(await createCurrentTable().scope());
  expect(scope).toEqual({
    bootId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    pidNamespace: expect.stringMatching(/^pid:\[\d+\]$/),
  });
});
