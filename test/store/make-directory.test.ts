import { existsSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { makeDirectory } from '../../src/store/make-directory.ts';
import { tempDir } from '../support/os.ts';

test('each directory on the way is closed to others', () => {
  using place = tempDir();
  const path = place.file('one/two/three');

  makeDirectory(path);
  makeDirectory(path);

  const modes = ['one', 'one/two', 'one/two/three'].map((name) => statSync(place.file(name)).mode & 0o777);
  expect(modes).toEqual([0o700, 0o700, 0o700]);
});

test('a file in the path stays and is an error', () => {
  using place = tempDir();
  writeFileSync(place.file('notes'), 'mine');

  expect(() => makeDirectory(place.file('notes'))).toThrow(expect.objectContaining({ code: 'EEXIST' }));
  expect(() => makeDirectory(place.file('notes/deep'))).toThrow(
    expect.objectContaining({ code: 'EEXIST', path: place.file('notes') }),
  );
  expect(statSync(place.file('notes')).isFile()).toBe(true);
});

test('a link to a directory leads there', () => {
  using place = tempDir();
  makeDirectory(place.file('real'));
  symlinkSync('real', place.file('link'));

  makeDirectory(place.file('link/deep'));

  expect(existsSync(place.file('real/deep'))).toBe(true);
});

test.runIf(existsSync('/proc/self'))('a place that takes no directory is an error with advice', () => {
  expect(() => makeDirectory('/proc/nothing/deep')).toThrow(
    expect.objectContaining({
      code: 'state-directory',
      message: expect.stringMatching(/"\/proc\/nothing" cannot be created: .* another directory/),
    }),
  );
});

test.runIf(existsSync('/proc/self'))('the advice about a place that takes no directory is whole', () => {
  expect(() => makeDirectory('/proc/nothing')).toThrow(
    expect.objectContaining({
      message:
        'The directory "/proc/nothing" cannot be created: "/proc" accepts none, or was just removed. Choose another directory.',
      cause: expect.objectContaining({ code: 'ENOENT' }),
    }),
  );
});
