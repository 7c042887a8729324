import { expect, test } from 'vitest';
import { takeOverrides } from '../../src/cli/program.ts';

test('dotted settings are taken out of the words', () => {
  const taken = takeOverrides([
    'chat',
    '--supervisor.default_timeout=60',
    'reviewer',
    '--policy.mode',
    'auto',
  ]);

  expect(taken).toEqual({
    overrides: ['--supervisor.default_timeout=60', '--policy.mode=auto'],
    rest: ['chat', 'reviewer'],
  });
});

test('a setting without a value is switched on', () => {
  const taken = takeOverrides(['chat', '--supervisor.hints.pager', '--resume']);

  expect(taken).toEqual({ overrides: ['--supervisor.hints.pager=true'], rest: ['chat', '--resume'] });
});

test('ordinary flags and arguments after -- stay', () => {
  const words = ['exec', '--task', 'a.b=c', '--max-depth=3', '--', '--a.b=1'];

  expect(takeOverrides(words)).toEqual({ overrides: [], rest: words });
});
