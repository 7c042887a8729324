import { expect, test } from 'vitest';
import { readEntry, readProcText } from '../../../src/spawn/tree/proc-entry.ts';

test('a missing process reads as null', () => {
  expect(readProcText(`/proc/${2 ** 30}/stat`)).toBeNull();
  expect(readEntry(2 ** 30)).toBeNull();
});

test('a failed read is not taken for the end of a process', () => {
  // Any error of the reading itself would do, such as too many open files.
  expect(() => readProcText('/proc/self')).toThrow(expect.objectContaining({ code: 'EISDIR' }));
});
