import { expect, test } from 'vitest';
import {
  anything,
  atLeast,
  flag,
  listOf,
  mapOf,
  matching,
  number,
  object,
  oneBy,
  oneOf,
  optional,
  orNull,
  type Shape,
  text,
} from '../../src/config/shape.ts';

const point = object({ x: number, name: optional(text) });
const animal = oneBy('type', { cat: object({ lives: number }), dog: object({ name: text }) });

/** A shape, what it accepts, and what it refuses with the place of the problem. */
const shapes: readonly (readonly [
  string,
  Shape,
  readonly unknown[],
  readonly (readonly [unknown, string])[],
])[] = [
  [
    'text',
    text,
    ['', 'a'],
    [
      [1, ''],
      [null, ''],
      [undefined, ''],
    ],
  ],
  [
    'flag',
    flag,
    [true, false],
    [
      ['true', ''],
      [0, ''],
    ],
  ],
  [
    'number',
    number,
    [0, -1.5],
    [
      ['1', ''],
      [Number.NaN, ''],
      [Number.POSITIVE_INFINITY, ''],
    ],
  ],
  ['anything', anything, [undefined, null, {}], []],
  [
    'matching',
    matching(/^a+$/),
    ['a', 'aa'],
    [
      ['b', ''],
      [1, ''],
      ['', ''],
    ],
  ],
  [
    'atLeast',
    atLeast(2),
    [2, 3],
    [
      [1.9, ''],
      ['3', ''],
      [Number.POSITIVE_INFINITY, ''],
      [Number.NaN, ''],
    ],
  ],
  [
    'oneOf',
    oneOf('a', 'b'),
    ['a', 'b'],
    [
      ['c', ''],
      [null, ''],
    ],
  ],
  [
    'orNull',
    orNull(text),
    [null, 'a'],
    [
      [1, ''],
      [undefined, ''],
    ],
  ],
  [
    'optional',
    optional(text),
    [undefined, 'a'],
    [
      [1, ''],
      [null, ''],
    ],
  ],
  [
    'listOf',
    listOf(text),
    [[], ['a']],
    [
      [['a', 1], '.1'],
      [[1, 2], '.0'],
      [{ 0: 'a' }, ''],
      ['a', ''],
    ],
  ],
  [
    'mapOf',
    mapOf(text),
    [{}, { a: 'b' }],
    [
      [{ a: 'b', c: 1 }, '.c'],
      [[], ''],
      [null, ''],
      ['a', ''],
    ],
  ],
  [
    'object',
    point,
    [{ x: 1 }, { x: 1, name: 'a', more: true }],
    [
      [{}, '.x'],
      [{ x: 'a', name: 1 }, '.x'],
      [{ x: 1, name: 1 }, '.name'],
      [[], ''],
      [null, ''],
      [1, ''],
    ],
  ],
  ['a list of objects', listOf(point), [[{ x: 1 }]], [[[{ x: 1 }, {}], '.1.x']]],
  [
    'oneBy',
    animal,
    [
      { type: 'cat', lives: 9 },
      { type: 'dog', name: 'Rex' },
    ],
    [
      [{ type: 'cat', name: 'Tom' }, '.lives'],
      [{ type: 'cow' }, '.type'],
      [{ type: 'toString' }, '.type'],
      [{ type: 1 }, '.type'],
      [{}, '.type'],
      [null, '.type'],
    ],
  ],
];

test.each(shapes)('%s accepts what has its shape', (_, shape, accepted) => {
  for (const value of accepted) expect([value, shape(value)]).toEqual([value, null]);
});

test.each(shapes)('%s names the place of another shape', (_, shape, __, refused) => {
  for (const [value, place] of refused) expect([value, shape(value)]).toEqual([value, place]);
});
