import { expect, test } from 'vitest';
import { canStartAgent, describeRefusedDepth, readDepth } from '../../src/agents/depth-limit.ts';

test.each([
  [{}, { depth: 0 }],
  [{ depth: '2' }, { depth: 2 }],
  [{ env: { TROUPE_DEPTH: '3' } }, { depth: 3 }],
  [{ depth: '1', env: { TROUPE_DEPTH: '3' } }, { depth: 3 }],
  [{ depth: '4', env: { TROUPE_DEPTH: '3' } }, { depth: 4 }],
  [{ maxDepth: '7' }, { depth: 0, maxDepth: 7 }],
  [
    { maxDepth: '7', env: { TROUPE_MAX_DEPTH: '3' } },
    { depth: 0, maxDepth: 3 },
  ],
])('%j gives %j', (given, expected) => {
  expect(readDepth({ env: {}, ...given })).toEqual({ ok: true, ...expected });
});

test.each(['abc', '-1', '1.5', '', ' ', '1e3', '0x1', '99999999999999999999', 'Infinity'])(
  'the depth %j is an error',
  (text) => {
    const [byFlag, byVariable] = [
      readDepth({ depth: text, env: {} }),
      readDepth({ env: { TROUPE_DEPTH: text } }),
    ];

    expect(byFlag).toEqual({
      ok: false,
      error: expect.stringMatching(/^--depth is ".*"; expected a whole number from 0\.$/),
    });
    expect(byVariable).toEqual({
      ok: false,
      error: expect.stringMatching(/^TROUPE_DEPTH is ".*"; expected/),
    });
  },
);

test('a number in code stands for the flag', () => {
  expect(readDepth({ depth: 1, maxDepth: 4, env: { TROUPE_DEPTH: '3', TROUPE_MAX_DEPTH: '9' } })).toEqual({
    ok: true,
    depth: 3,
    maxDepth: 4,
  });
  expect(readDepth({ depth: 1.5, env: {} })).toEqual({
    ok: false,
    error: '"depth" is 1.5; expected a whole number from 0.',
  });
});

test('a limit of nothing is an error', () => {
  expect(readDepth({ maxDepth: '0', env: {} })).toEqual({
    ok: false,
    error: '--max-depth is "0"; expected a whole number from 1.',
  });
});

test('five depths start and the sixth is refused', () => {
  expect([0, 1, 2, 3, 4, 5, 6].map((depth) => canStartAgent(depth, 5))).toEqual([
    true,
    true,
    true,
    true,
    true,
    false,
    false,
  ]);
  expect(describeRefusedDepth(5)).toBe(
    'Maximum delegation depth (5) reached: no agent is started here. Do the work yourself, or answer with what is known so far.',
  );
});
