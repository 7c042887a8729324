import { expect, test } from 'vitest';
import { interpolate } from '../../../src/cli/verbs/up/interpolate.ts';

const env = { NAME: 'x', EMPTY: '', PORT: '3000', YES: 'true', NO: 'false', SEVEN: '007', HALF: '-0.5' };

test.each([
  [`\${NAME}`, 'x'],
  [`a \${NAME}-\${PORT} b`, 'a x-3000 b'],
  [`\${EMPTY}`, ''],
  [`\${EMPTY:-y}`, 'y'],
  [`\${EMPTY-y}`, ''],
  [`\${NONE:-y z}`, 'y z'],
  [`\${NONE-y}`, 'y'],
  [`\${NONE-}`, ''],
  [`\${NAME:-y}`, 'x'],
  [`$\${NAME}`, `\${NAME}`],
  ['$NAME', '$NAME'],
  [`\${PORT}`, 3000],
  [`\${NONE:-8080}`, 8080],
  [`\${HALF}`, -0.5],
  [`\${SEVEN}`, '007'],
  [`\${YES}`, true],
  [`\${NO}`, false],
  [` \${PORT}`, ' 3000'],
  [`\${PORT}0`, '30000'],
  [`\${YES} `, 'true '],
  [7, 7],
  [null, null],
  [true, true],
  [
    [`\${NAME}`, { a: `\${PORT}` }],
    ['x', { a: 3000 }],
  ],
])('the value %j becomes %j', (value, replaced) => {
  expect(interpolate({ env: { A: value } }, env)).toEqual({ value: { env: { A: replaced } }, problems: [] });
});

test('a command that is text belongs to the shell, and nothing else does', () => {
  const text = `\${NAME}`;
  const processes = {
    short: text,
    long: { command: text, cwd: text, env: { command: text } },
    words: { command: [text] },
  };

  expect(interpolate({ processes, command: text, other: { web: text } }, env).value).toEqual({
    processes: {
      short: text,
      long: { command: text, cwd: 'x', env: { command: 'x' } },
      words: { command: ['x'] },
    },
    command: 'x',
    other: { web: 'x' },
  });
});

test('each variable that is not set is named with its place', () => {
  const { problems } = interpolate({ processes: { web: { env: { A: `a \${ONE} \${TWO}` } } } }, env);

  expect(problems).toEqual(
    ['ONE', 'TWO'].map((name) => ({
      path: ['processes', 'web', 'env', 'A'],
      text: `"processes.web.env.A" uses \${${name}}, and the variable is not set. Set it, or give a default: \${${name}:-…}.`,
    })),
  );
});

test.each([`\${`, `\${1A}`, `\${NAME`, `\${NAME:+y}`, `\${NAME:-\${PORT}}`])(
  'the text %s that begins no variable is a problem',
  (text) => {
    const { value, problems } = interpolate({ list: ['a', text] }, env);

    expect(problems).toEqual([
      {
        path: ['list', 1],
        text: `"list.1" has a "\${" that begins no variable; expected \${NAME} or \${NAME:-default}. For a plain "\${" write "$\${".`,
      },
    ]);
    expect(value).toMatchObject({ list: ['a', expect.stringContaining(`\${`)] });
  },
);
