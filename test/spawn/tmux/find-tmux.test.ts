import { chmodSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { findTmux } from '../../../src/spawn/tmux/find-tmux.ts';
import { tempDir } from '../../support/os.ts';

/** Creates a directory with a tmux that prints this version. */
function install(script: string): string {
  const directory = tempDir();
  onTestFinished(directory.remove);
  writeFileSync(directory.file('tmux'), `#!/bin/sh\n${script}\n`);
  chmodSync(directory.file('tmux'), 0o755);
  return directory.path;
}

test('a missing tmux is reported', () => {
  expect(findTmux('/nowhere')).toMatchObject({ why: 'tmux is not installed' });
});

test.each(['tmux 3.3a', 'tmux 3.10', 'tmux 4.0', 'tmux next-3.7', 'tmux master'])(
  'version %s is accepted',
  (version) => {
    const path = install(`echo '${version}'`);

    expect(findTmux(path)).toBe(`${path}/tmux`);
  },
);

test.each(['tmux 1.8', 'tmux 2.9a', 'tmux 3.2a'])('version %s is too old', (version) => {
  expect(findTmux(install(`echo '${version}'`))).toMatchObject({
    why: `${version} is too old: 3.3 is needed`,
  });
});

test('a tmux without a version is refused', () => {
  expect(findTmux(install('exit 1'))).toMatchObject({
    why: expect.stringContaining('does not report its version'),
  });
});
