import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMarks, createScopedTable } from '../../../src/spawn/tree/scoped-table.ts';
import { tempDir } from '../../support/os.ts';
import { createFakeTable, entry } from './entries.ts';

test.each(['tool_a', 'agent_a', 'service_a', 'sup_a'])('the id %s of troupe is its own mark', (id) => {
  expect(createMarks({ directory: '/none' })(id)).toBe(id);
});

test('an id of a caller is marked with its state directory, or with its supervisor', () => {
  using place = tempDir();

  const inDirectory = createMarks({ directory: place.path })('build');

  expect(inDirectory).toMatch(/^build\.[0-9a-f]{12}$/);
  expect(createMarks({ directory: place.file('other') })('build')).not.toBe(inDirectory);
  expect(createMarks({ supervisorId: 'sup_a' })('build')).toBe('build.sup_a');
});

test('every path to a directory gives the same marks, also before it exists', () => {
  using place = tempDir();
  mkdirSync(place.file('real'));
  symlinkSync(place.file('real'), place.file('link'));
  const markOf = (...names: readonly string[]) =>
    createMarks({ directory: join(place.path, ...names) })('build');

  expect(markOf('link')).toBe(markOf('real'));
  expect(markOf('link', 'new', 'state')).toBe(markOf('real', 'new', 'state'));
  expect(markOf('link', 'new')).not.toBe(markOf('link', 'newer'));
});

test('carriers of an id are those of its mark', async () => {
  const asked: string[] = [];
  const table = createFakeTable({ entries: [entry(100)], carriers: [100] });
  const scoped = createScopedTable(
    {
      ...table,
      filterCarriers: (cookie, entries) => {
        asked.push(cookie);
        return table.filterCarriers(cookie, entries);
      },
    },
    (id) => `${id}.sup_a`,
  );

  expect(await scoped.filterCarriers('/build/', [entry(100), entry(101)])).toEqual([entry(100)]);
  expect(asked).toEqual(['/build.sup_a/']);
  expect(await scoped.list()).toEqual([entry(100)]);
});
