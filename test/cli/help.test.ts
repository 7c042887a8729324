import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { callProgram } from './call-program.ts';
import { runProgram } from './program.ts';

const golden = join(import.meta.dirname, 'golden');

/** Each as `troupe help` or `troupe <verb> --help` prints it; `TROUPE_GOLDEN=write` writes them anew. */
test.each([
  'troupe',
  'init',
  'chat',
  'exec',
  'mcp',
  'run',
  'start',
  'up',
  'down',
  'serve',
  'worker',
  'doctor',
  'graph',
  'completion',
  'ps',
  'show',
  'logs',
  'kill',
  'wait',
  'watch',
  'events',
  'write',
  'signal',
  'pause',
  'resume',
  'restart',
  'extend',
  'schedule',
  'attach',
  'screen',
  'keys',
  'resize',
  'clean',
  'top',
  'ui',
  'process',
  'policy',
])('the help of %s is as agreed', async (verb) => {
  const args = verb === 'troupe' ? ['help'] : [verb, '--help'];
  const file = join(golden, `${verb}.txt`);

  const { code, stdout, stderr } = await callProgram(args, { cwd: golden });
  if (process.env['TROUPE_GOLDEN'] === 'write') writeFileSync(file, stdout);

  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe(readFileSync(file, 'utf8'));
  expect(Math.max(...stdout.split('\n').map((line) => stringWidth(line)))).toBeLessThanOrEqual(80);
});

test('the program prints its help to stdout', async () => {
  expect(await runProgram(['help'], { cwd: golden })).toEqual({
    code: 0,
    stdout: readFileSync(join(golden, 'troupe.txt'), 'utf8'),
    stderr: '',
  });
});
