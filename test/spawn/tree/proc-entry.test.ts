import { expect, test } from 'vitest';
import { readEntry, readProcText } from '../../../src/spawn/tree/proc-entry.ts';

test('who is not there reads as nobody', () => {
  expect(readProcText(`/proc/${2 ** 30}/stat`)).toBeNull();
  expect(readEntry(2 ** 30)).toBeNull();
});

test('a failure of ours is not the end of another', () => {
  // Any error of the reading itself, such as too many open files, would do.
  expect(() => readProcText('/proc/self')).toThrow(expect.objectContaining({ code: 'EISDIR' }));
});
