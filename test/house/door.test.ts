import { expect, test } from 'vitest';
import { readDoors } from '../../src/packing/doors.ts';
import { findHiddenTypes } from './door.ts';

/** All sources are compiled, which takes seconds, and far more where others want the processor. */
const COMPILING = { timeout: 120_000 };

/** The charts are a door for those who read them; their types are XState's. */
const doors = Object.values(readDoors()).filter((door) => door.startsWith('src/'));

test.each(doors)('%s exports every type its exports speak of', COMPILING, (door) => {
  const hidden = findHiddenTypes(door, { beside: door === 'src/index.ts' ? [] : ['src/index.ts'] });

  const sentences = [...hidden].map(([name, user]) => `${name} is needed by ${user}: export it from ${door}`);
  expect(sentences.join('\n')).toBe('');
});

test('a type that only another door exports is hidden', COMPILING, () => {
  const hidden = findHiddenTypes('src/testing/index.ts');

  expect(hidden.get('OutputSink')).toBe('BackendPort');
});
