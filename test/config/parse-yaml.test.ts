import { expect, test } from 'vitest';
import { type Checked, parseYaml } from '../../src/config/parse-yaml.ts';

const parse = (
  text: string,
  check: (value: unknown) => Checked<unknown> = (value) => ({ ok: true, value }),
) => parseYaml(text, { file: 'app.yaml', code: 'invalid-agent-file', check });

/** Refuses the values at these paths. */
const refuse =
  (...paths: readonly (readonly PropertyKey[])[]) =>
  (): Checked<unknown> => ({
    ok: false,
    problems: paths.map((path) => ({ path, text: `${path.join('.')} is wrong.` })),
  });

const message = async (parsing: Promise<unknown>): Promise<string> => {
  const error = await parsing.then(
    () => new Error('It was accepted.'),
    (reason: Error) => reason,
  );
  return error.message;
};

test('a file is its checked value', async () => {
  const check = (value: unknown): Checked<unknown> => ({ ok: true, value: [value] });

  expect(await parse('a: 1\nb: [x, y]\n', check)).toEqual([{ a: 1, b: ['x', 'y'] }]);
});

test('an error has the code of its file', async () => {
  await expect(parse('a: [', () => ({ ok: true, value: 0 }))).rejects.toMatchObject({
    code: 'invalid-agent-file',
  });
});

test.each([
  ['a: 1\nb: 2\n', [['b']], 'app.yaml:2:4: b is wrong.'],
  ['a: 1\nb:\n  c: 2\n', [['b', 'c']], 'app.yaml:3:6: b.c is wrong.'],
  ['a:\n  - x\n  - y\n', [['a', 1]], 'app.yaml:3:5: a.1 is wrong.'],
  // A list or map is located by its key.
  ['a: 1\nb:\n  c: 2\n', [['b']], 'app.yaml:2:1: b is wrong.'],
  ['a:\nb:\n', [['b']], 'app.yaml:2:3: b is wrong.'],
  // A missing one is located by what should have it.
  ['a: 1\nb:\n  c: 2\n', [['b', 'd']], 'app.yaml:3:3: b.d is wrong.'],
  ['a: 1\n', [['x']], 'app.yaml:1:1: x is wrong.'],
  ['', [[]], 'app.yaml:1:1:  is wrong.'],
  ['x: &x\n  c: 1\na: *x\n', [['a', 'c']], 'app.yaml:2:6: a.c is wrong.'],
  ['1: a\n', [[1]], 'app.yaml:1:4: 1 is wrong.'],
])('the problem in %j has its line and column', async (text, paths, expected) => {
  expect(await message(parse(text, refuse(...(paths as PropertyKey[][]))))).toBe(expected);
});

test('problems are in the order of the file', async () => {
  expect(await message(parse('a: 1\nb: 2\n', refuse(['b'], ['a'])))).toBe(
    'app.yaml:1:4: a is wrong.\napp.yaml:2:4: b is wrong.',
  );
});

test('ten problems are reported', async () => {
  const text = Array.from({ length: 11 }, (_, index) => `k${index}: 1\n`).join('');
  const paths = Array.from({ length: 11 }, (_, index) => [`k${index}`]);

  expect((await message(parse(text, refuse(...paths)))).split('\n')).toHaveLength(10);
});

test('a duplicate key is named', async () => {
  expect(await message(parse('a: 1\nkey: 1\nkey: 2\n'))).toBe(
    'app.yaml:3:1: "key" occurs twice; remove one.',
  );
});

test('invalid YAML is a sentence with one full stop', async () => {
  expect(await message(parse('a: [1\n'))).toMatch(/^app\.yaml:\d:\d: not valid YAML: .*[^.]\.$/m);
});

test('too many aliases are refused', async () => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x,x]',
    'b: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]',
    'c: [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]',
  ];

  expect(await message(parse(bomb.join('\n')))).toMatch(/^app\.yaml:1:1: cannot be read: .*\.$/);
});
