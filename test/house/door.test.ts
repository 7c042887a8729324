import { expect, test } from 'vitest';
import { findHiddenTypes } from './door.ts';

test.each([
  ['src/index.ts', []],
  ['src/testing/index.ts', ['src/index.ts']],
  ['src/mcp/index.ts', ['src/index.ts']],
])('%s exports every type its exports speak of', (door, beside) => {
  const hidden = findHiddenTypes(door, { beside });

  const sentences = [...hidden].map(([name, user]) => `${name} is needed by ${user}: export it from ${door}`);
  expect(sentences.join('\n')).toBe('');
});

test('a type that only another door exports is hidden', () => {
  const hidden = findHiddenTypes('src/testing/index.ts');

  expect(hidden.get('OutputSink')).toBe('BackendPort');
});
