import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { callProgram } from './call-program.ts';
import { runProgram } from './program.ts';

const pictures = join(import.meta.dirname, '../../docs/statecharts');
const graph = (...args: readonly string[]) => callProgram(['graph', ...args], { cwd: pictures });

test('the chart is the one that is documented', async () => {
  const { code, stdout } = await graph('conversation');

  expect(code).toBe(0);
  expect(stdout).toBe(readFileSync(join(pictures, 'conversation.mmd'), 'utf8'));
});

test('without a machine all are listed', async () => {
  const { stdout } = await runProgram(['graph'], { cwd: pictures });

  expect(stdout.split('\n').map((row) => row.split(/\s/)[0])).toEqual([
    'conversation',
    'process',
    'supervisor',
    'watch',
    '',
  ]);
});

test.each([
  ['json', /^\{\n {2}"name": "supervisor"/],
  ['svg', /^<svg/],
])('%s is printed', async (format, beginning) => {
  const { code, stdout, stderr } = await graph('supervisor', '--format', format);

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(beginning);
});

test('the error for an unknown machine suggests the nearest name', async () => {
  expect(await graph('proces')).toEqual({
    code: 2,
    stdout: '',
    stderr: 'troupe: there is no machine "proces". Did you mean process?\n',
  });
});
