import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { findAgentStateDirectory, findStateDirectory, withState } from '../../src/cli/with-state.ts';
import { tempDir } from '../support/os.ts';
import { fakeIo } from './fake-io.ts';

test('the nearest .troupe upwards is found, and a file of that name is passed over', () => {
  using place = tempDir();
  const cwd = place.file('a/b');
  const find = () => findStateDirectory({ flag: undefined, io: { cwd, env: {} } });
  mkdirSync(cwd, { recursive: true });
  const found = [find()];
  mkdirSync(place.file('.troupe'));
  found.push(find());
  writeFileSync(place.file('a/.troupe'), '');
  found.push(find());
  symlinkSync(place.file('.troupe'), place.file('a/b/.troupe'));
  found.push(find());

  expect(found).toEqual(['a/b/.troupe', '.troupe', '.troupe', 'a/b/.troupe'].map((path) => place.file(path)));
});

test.each([
  ['x', {}, '/project/x'],
  ['x', { TROUPE_STATE_DIR: '/y' }, '/project/x'],
  [undefined, { TROUPE_STATE_DIR: 'y' }, '/project/y'],
  ['', { TROUPE_STATE_DIR: '/y' }, '/project/.troupe'],
  [undefined, { TROUPE_STATE_DIR: '' }, '/project/.troupe'],
])('the flag %j and the variables %j name %s', (flag, env, path) => {
  expect(findStateDirectory({ flag, io: { cwd: '/project', env } })).toBe(path);
});

test('an agent works without records where a file stands in their place', () => {
  using place = tempDir();
  writeFileSync(place.file('file'), '');
  const find = (path: string) =>
    findAgentStateDirectory({ cwd: place.path, env: { TROUPE_STATE_DIR: path } });

  expect([find('file'), find('.'), find('none')]).toEqual([false, place.path, place.file('none')]);
});

test.each([
  [
    { stateDir: '/nowhere' },
    'troupe: "/nowhere" does not exist, so no process is known. Check --state-dir.\n',
  ],
  [{ stateDir: '/' }, ''],
  [{}, ''],
] as const)('the state directory of %j is closed after the work', async (flags, note) => {
  const place = fakeIo({ env: { TROUPE_STATE_DIR: '/nowhere' } });
  const calls: string[] = [];
  const open = ({ directory }: { directory: string }) => {
    calls.push(`opened ${directory}`);
    return { close: () => void calls.push('closed') } as never;
  };
  const directory = 'stateDir' in flags ? flags.stateDir : '/nowhere';

  const worked = await withState({ flags, io: place.io, open }, async () => calls.push('worked'));
  const failed = await withState({ flags, io: place.io, open }, async () => {
    throw new Error('no');
  }).catch(() => 'failed');

  expect([worked, failed]).toEqual([2, 'failed']);
  expect(calls).toEqual([`opened ${directory}`, 'worked', 'closed', `opened ${directory}`, 'closed']);
  expect(place.stderr()).toBe(note.repeat(2));
});
