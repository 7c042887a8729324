import { expect, test } from 'vitest';
import { findHiddenTypes } from './door.ts';

/** All sources are compiled, which takes seconds, and far more where others want the processor. */
const COMPILING = { timeout: 120_000 };

test.each([
  ['src/index.ts', []],
  ['src/testing/index.ts', ['src/index.ts']],
  ['src/mcp/index.ts', ['src/index.ts']],
  ['src/xstate/index.ts', ['src/index.ts']],
])('%s exports every type its exports speak of', COMPILING, (door, beside) => {
  const hidden = findHiddenTypes(door, { beside });

  const sentences = [...hidden].map(([name, user]) => `${name} is needed by ${user}: export it from ${door}`);
  expect(sentences.join('\n')).toBe('');
});

test('a type that only another door exports is hidden', COMPILING, () => {
  const hidden = findHiddenTypes('src/testing/index.ts');

  expect(hidden.get('OutputSink')).toBe('BackendPort');
});
