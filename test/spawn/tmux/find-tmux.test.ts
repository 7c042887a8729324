import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findTerminalType, findTmux } from '../../../src/spawn/tmux/find-tmux.ts';
import { tempDir } from '../../support/os.ts';

/** Creates a directory with a tmux that prints this version. */
function install(script: string): string {
  const directory = tempDir();
  onTestFinished(directory.remove);
  writeFileSync(directory.file('tmux'), `#!/bin/sh\n${script}\n`);
  chmodSync(directory.file('tmux'), 0o755);
  return directory.path;
}

const remedy = 'Install tmux 3.3 or newer, or put it on the PATH';

test('a missing tmux is reported', () => {
  expect(findTmux('/nowhere')).toEqual({ why: 'tmux is not installed', remedy });
});

test.each(['tmux 3.3a', 'tmux 3.10', 'tmux 4.0', 'tmux next-3.7', 'tmux master'])(
  'version %s is accepted',
  (version) => {
    const path = install(`echo '${version}'`);

    expect(findTmux(path)).toBe(`${path}/tmux`);
  },
);

test.each(['tmux 1.8', 'tmux 2.9a', 'tmux 3.2a'])('version %s is too old', (version) => {
  expect(findTmux(install(`echo '${version}'`))).toEqual({
    why: `${version} is too old: 3.3 is needed`,
    remedy,
  });
});

test('a tmux without a version is refused', () => {
  const path = install('exit 1');

  expect(findTmux(path)).toEqual({ why: `${path}/tmux does not report its version`, remedy });
});

test('a tmux that cannot be run is refused with the reason', () => {
  const path = install('true');
  writeFileSync(join(path, 'tmux'), '#!/no/such/interpreter\n');

  expect(findTmux(path)).toEqual({
    why: `${path}/tmux cannot be run (spawnSync ${path}/tmux ENOENT)`,
    remedy,
  });
});

/** Describes a terminal type in a new directory, below this folder. */
function describeType(name: string, folder: string): string {
  const directory = tempDir();
  onTestFinished(directory.remove);
  mkdirSync(join(directory.path, folder), { recursive: true });
  writeFileSync(join(directory.path, folder, name), '');
  return directory.path;
}

test.each([
  ['a letter', 't'],
  ['a code', '74'],
])('a terminal type is found below %s', (_, folder) => {
  expect(findTerminalType({ TERMINFO: describeType('tmux-256color', folder) })).toBe('tmux-256color');
});

test('a terminal type is looked for in all places of the user', () => {
  const other = describeType('x', 'x');
  const place = describeType('tmux-256color', 't');
  const home = describeType('tmux-256color', '.terminfo/t');

  for (const env of [{ TERMINFO: place }, { HOME: home }, { TERMINFO_DIRS: `${other}::${place}` }])
    expect(findTerminalType(env)).toBe('tmux-256color');
});
