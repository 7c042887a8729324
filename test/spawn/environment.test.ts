import { expect, test } from 'vitest';
import { createEnvironment, terminalVariables, toCookie } from '../../src/spawn/environment.ts';

const toEnvironment = (depth: number, overrides: Record<string, string | null> = {}) =>
  createEnvironment({
    inherited: { TROUPE_DEPTH: '7', HOME: '/home' },
    isRedacted: () => false,
    hasTerminal: false,
    hints: { pager: false, gitPrompt: false, term: false },
    overrides,
    identity: { processId: 'tool_a', mark: 'tool_a', supervisorId: 'sup_a', owner: 'user', depth },
  });

test('a process gets the depth of its children', () => {
  expect(toEnvironment(2)['TROUPE_DEPTH']).toBe('2');
});

test.each([
  ['4', '4'],
  ['1', '2'],
  ['abc', '2'],
  [null, '2'],
])('an override of %j can only add to the depth', (override, expected) => {
  expect(toEnvironment(2, { TROUPE_DEPTH: override })['TROUPE_DEPTH']).toBe(expected);
});

test.each([
  [true, { HOME: '/home', LINES: '9' }],
  [false, { HOME: '/home', LINES: '9', COLUMNS: '200', TMUX: '/tmp/tmux-0/default,1,0', TERM: 'screen' }],
])('variables of our terminal are inherited without one: %s', (hasTerminal, expected) => {
  const { HOME, LINES, COLUMNS, TMUX, TERM } = createEnvironment({
    inherited: {
      ...{ HOME: '/home', LINES: '60', COLUMNS: '200', TMUX: '/tmp/tmux-0/default,1,0', TERM: 'screen' },
    },
    isRedacted: () => false,
    hasTerminal,
    hints: { pager: false, gitPrompt: false, term: false },
    overrides: { LINES: '9' },
    identity: { processId: 'tool_a', mark: 'tool_a', supervisorId: 'sup_a', owner: 'user', depth: 0 },
  });

  expect({ HOME, LINES, COLUMNS, TMUX, TERM }).toEqual({
    ...{ COLUMNS: undefined, TMUX: undefined, TERM: undefined },
    ...expected,
  });
});

const create = (own: Partial<Parameters<typeof createEnvironment>[0]>) =>
  createEnvironment({
    ...{ inherited: {}, isRedacted: () => false, hasTerminal: false, overrides: {} },
    hints: { pager: false, gitPrompt: false, term: false },
    identity: { processId: 'tool_a', mark: 'mark_a', supervisorId: 'sup_a', owner: 'user', depth: 0 },
    ...own,
  });

test('a process knows its identity, and passes its lineage on', () => {
  const identity = {
    ...{
      TROUPE_PROCESS_ID: 'tool_a',
      TROUPE_SUPERVISOR_ID: 'sup_a',
      TROUPE_OWNER: 'user',
      TROUPE_DEPTH: '0',
    },
  };

  expect(create({})).toEqual({ ...identity, TROUPE_LINEAGE: '/sup_a/mark_a/' });
  expect(create({ inherited: { TROUPE_LINEAGE: '/sup_0/tool_0/' } })).toEqual({
    ...identity,
    TROUPE_LINEAGE: '/sup_0/tool_0/sup_a/mark_a/',
  });
});

test.each([
  ['pager', { PAGER: 'cat', GIT_PAGER: 'cat' }],
  ['gitPrompt', { GIT_TERMINAL_PROMPT: '0' }],
  ['term', { TERM: 'dumb' }],
])('the hint "%s" is %j', (name, variables) => {
  const none = { pager: false, gitPrompt: false, term: false };

  expect(create({ hints: { ...none, [name]: true } })).toEqual({ ...create({}), ...variables });
});

test('overrides win over hints and inherited variables, and remove them', () => {
  const env = create({
    inherited: { A: '1', B: '2', NONE: undefined },
    hints: { pager: true, gitPrompt: true, term: false },
    overrides: { A: '3', B: null, PAGER: 'less', GIT_PAGER: null, TROUPE_OWNER: 'me' },
  });

  expect(env).toMatchObject({ A: '3', PAGER: 'less', GIT_TERMINAL_PROMPT: '0', TROUPE_OWNER: 'user' });
  for (const name of ['B', 'GIT_PAGER', 'NONE']) expect(env).not.toHaveProperty(name);
});

test('redacted names are not inherited, and can be given', () => {
  const isRedacted = (name: string) => name === 'KEY';

  expect(create({ inherited: { KEY: 'a' }, isRedacted })).not.toHaveProperty('KEY');
  expect(create({ inherited: { KEY: 'a' }, isRedacted, overrides: { KEY: 'b' } })).toHaveProperty('KEY', 'b');
});

test('the variables that describe a terminal are known', () => {
  expect([...terminalVariables].join(' ')).toBe(
    'TERM TERMCAP TERMINFO TERM_PROGRAM TERM_PROGRAM_VERSION COLORTERM COLUMNS LINES TMUX TMUX_PANE STY WINDOW',
  );
});

test('a cookie is found in the lineage of each descendant', () => {
  const { TROUPE_LINEAGE = '' } = create({ inherited: { TROUPE_LINEAGE: '/sup_0/tool_0/' } });

  expect(['sup_0', 'tool_0', 'sup_a', 'mark_a'].every((id) => TROUPE_LINEAGE.includes(toCookie(id)))).toBe(
    true,
  );
  expect(toCookie('tool_a')).toBe('/tool_a/');
});
