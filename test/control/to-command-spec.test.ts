import { expect, test } from 'vitest';
import { toCommandSpec } from '../../src/control/to-command-spec.ts';

const convert = (
  spec: Readonly<Record<string, unknown>>,
  env?: Readonly<Record<string, string>>,
  isRedacted: (name: string) => boolean = () => false,
) => toCommandSpec({ spec, env, isRedacted });

/** Returns the variables that the client's environment has changed. */
function changedBy(spec: Readonly<Record<string, unknown>>, env: Readonly<Record<string, string>>) {
  const all = convert({ command: 'make', ...spec }, env).env ?? {};
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

test('a start without an environment keeps its spec', () => {
  expect(convert({ command: 'make', env: { A: '1' } })).toEqual({ command: 'make', env: { A: '1' } });
});

test("the client's environment takes the place of the supervisor's", () => {
  process.env['OF_SUPERVISOR'] = 'x';

  const { env } = convert(
    { command: 'make', env: { ON_TOP: '3', MINE: '4' } },
    { MINE: '1', HOME: '/h', KEY: 's' },
    (name) => name === 'KEY',
  );

  delete process.env['OF_SUPERVISOR'];
  expect(env).toMatchObject({ OF_SUPERVISOR: null, MINE: '4', HOME: '/h', KEY: null, ON_TOP: '3' });
});

test.each([
  ['by default', {}, { MINE: 'x' }],
  ['without the pager hint', { hints: { pager: false } }, { MINE: 'x', PAGER: 'less', GIT_PAGER: 'less' }],
  ['without the git hint', { hints: { gitPrompt: false } }, { MINE: 'x', GIT_TERMINAL_PROMPT: '1' }],
  ['without the terminal hint', { hints: { term: false } }, { MINE: 'x', TERM: 'xterm' }],
])('variables of hints stay as the hints want, %s', (_, hints, changed) => {
  const ofClient = { MINE: 'x', PAGER: 'less', GIT_PAGER: 'less', GIT_TERMINAL_PROMPT: '1', TERM: 'xterm' };

  expect(changedBy(hints, ofClient)).toEqual(changed);
});

test.each([
  [{ interactive: true }, { MINE: 'x' }],
  [{ interactive: false }, { MINE: 'x', LINES: '7', COLUMNS: '9' }],
])('a process with %j takes %j over', (spec, changed) => {
  expect(changedBy(spec, { MINE: 'x', LINES: '7', COLUMNS: '9' })).toEqual(changed);
});

test.each([
  [{ source: '^up', flags: 'i' }, /^up/i],
  [{ source: '^up' }, /^up/],
  [{ source: '^up', flags: 7 }, /^up/],
  [
    { source: '(', flags: 'i' },
    { source: '(', flags: 'i' },
  ],
  [{ source: 7 }, { source: 7 }],
  ['up', 'up'],
  [null, null],
])('a line to wait for, %j, becomes %s', (line, expected) => {
  const { ready } = convert({ command: 'serve', ready: { line, timeout: '5s' } });

  expect(ready).toEqual({ line: expected, timeout: '5s' });
});

test('a start without readiness gets none', () => {
  expect(convert({ command: 'serve', ready: null })).toEqual({ command: 'serve', ready: null });
});
