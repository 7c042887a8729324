import { closeSync, openSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import {
  isReadable,
  listDescriptors,
  readLinkOf,
  readMemory,
  readPolled,
} from '../../../src/spawn/tree/open-files.ts';
import { countOpenFiles, tempDir } from '../../support/os.ts';

const noPid = 2 ** 22;
const onLinux = test.skipIf(process.platform !== 'linux');

/** Opens a file of this program. */
function open(flags: string) {
  const place = tempDir();
  const path = place.file('data');
  closeSync(openSync(path, 'w'));
  const fd = openSync(path, flags);
  onTestFinished(() => {
    closeSync(fd);
    place.remove();
  });
  return { path, fd };
}

onLinux.each([
  ['r', true],
  ['r+', true],
  ['w', false],
  ['a', false],
  ['a+', true],
])('a descriptor opened with "%s" can be read: %s', (flags, canBeRead) => {
  expect(isReadable(process.pid, open(flags).fd)).toBe(canBeRead);
});

onLinux('a descriptor is named by its file', () => {
  const { path, fd } = open('r');

  expect(readLinkOf(process.pid, fd)).toBe(path);
  expect(listDescriptors(process.pid)).toContain(fd);
  expect(readLinkOf(process.pid, 99_999)).toBeNull();
});

test('an ended process has no descriptors and no memory', () => {
  expect(readLinkOf(noPid, 0)).toBeNull();
  expect(listDescriptors(noPid)).toBeNull();
  expect(readMemory(noPid, { address: 4096n, length: 8 })).toBeNull();
  expect(readPolled(noPid, { address: 4096n, count: 1 })).toBeNull();
});

onLinux('memory that is not mapped is null, and leaves no descriptor open', () => {
  const before = countOpenFiles();

  expect(readMemory(process.pid, { address: 0n, length: 8 })).toBeNull();
  expect(readPolled(process.pid, { address: 0n, count: 2 })).toBeNull();
  expect(countOpenFiles()).toBe(before);
});
