import { expect, test } from 'vitest';
import { describeAliases, normalizeLine } from '../../src/cli/normalize-line.ts';
import { verbGroups } from '../../src/cli/verbs.ts';

const aliases = Object.values(verbGroups)
  .flatMap((verbs) => Object.entries(verbs))
  .flatMap(([name, { aliases: own = {} }]) =>
    Object.entries(own as Readonly<Record<string, readonly string[]>>).map(
      ([alias, flags]) => [alias, name, flags] as const,
    ),
  );

test.each(aliases)('%s stands for %s %j', (alias, verb, flags) => {
  expect(normalizeLine([alias, 'x'])).toEqual([verb, ...flags, 'x']);
  expect(normalizeLine(['help', alias])).toEqual(['help', verb]);
  expect(normalizeLine(['__complete', '--', alias, 'x'])).toEqual(['__complete', '--', verb, ...flags, 'x']);
});

const [alias = ''] = aliases[0] ?? [];

test.each([
  [[], []],
  [['ps'], ['ps']],
  [['help'], ['help']],
  [
    ['help', 'ps', alias],
    ['help', 'ps', alias],
  ],
  [
    ['logs', alias],
    ['logs', alias],
  ],
  // The last word is still being typed.
  [
    ['__complete', alias],
    ['__complete', alias],
  ],
  [
    ['__complete', '--', alias],
    ['__complete', '--', alias],
  ],
  [
    ['kill', '-9', 'a'],
    ['kill', '--signal', '9', 'a'],
  ],
  [
    ['kill', '-KILL', 'a'],
    ['kill', '--signal', 'KILL', 'a'],
  ],
  [
    ['kill', '-RTMIN+1', 'a'],
    ['kill', '--signal', 'RTMIN+1', 'a'],
  ],
  [
    ['process', 'kill', '-15', 'a'],
    ['process', 'kill', '--signal', '15', 'a'],
  ],
  [
    ['kill', '--', '-9'],
    ['kill', '--', '-9'],
  ],
  [
    ['kill', '-9', '--', '-9'],
    ['kill', '--signal', '9', '--', '-9'],
  ],
  [
    ['kill', '-s', 'a'],
    ['kill', '-s', 'a'],
  ],
  [
    ['kill', '-A', 'a'],
    ['kill', '-A', 'a'],
  ],
  [
    ['kill', 'x-9'],
    ['kill', 'x-9'],
  ],
  [
    ['kill', '-9x'],
    ['kill', '-9x'],
  ],
  [
    ['logs', '-9'],
    ['logs', '-9'],
  ],
  [
    ['process', 'ps', '-9'],
    ['process', 'ps', '-9'],
  ],
])('the line %j is read as %j', (line, normalized) => {
  expect(normalizeLine(line)).toEqual(normalized);
});

test('the help of a verb names its aliases, and the flags that they stand for', () => {
  const entry = { aliases: { dir: [], all: ['-a', '--wide'] } } as never;

  expect(describeAliases(entry)).toBe('\nAliases: dir, all (-a) (--wide)');
  expect(describeAliases({} as never)).toBe('');
});
