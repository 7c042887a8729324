import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openDirectoryHarness } from '../support/directory.ts';

type Written = { view: Record<string, unknown>; revival: Record<string, unknown> };

/** A living process whose supervisor is dead, and whose record on disk was changed by `edit`. */
function begin(edit: (record: Written) => void) {
  const { open, crash, file } = openDirectoryHarness({ recordsIn: 'files' });
  const { supervisor, clock } = open();
  const { id } = supervisor.start({ command: ['server'], lifetime: 'persistent', background: true });
  supervisor.watch(id, { quiet: 5_000 });
  clock.advance(100);
  crash(supervisor);
  const path = file(`processes/${id}.json`);
  const record = JSON.parse(readFileSync(path, 'utf8')) as Written;
  edit(record);
  writeFileSync(path, JSON.stringify(record));
  return { id, next: open() };
}

test('a process from before terminals is adopted', () => {
  const { id, next } = begin(({ view, revival }) => {
    for (const name of ['terminal', 'progress', 'takesInput', 'awaitsInput']) delete view[name];
    for (const name of ['size', 'watches']) delete revival[name];
    delete (revival['files'] as { screen?: string }).screen;
  });

  expect(next.supervisor.recovered).toMatchObject({ adopted: [id], damaged: [] });
  expect(next.backend.lastRun).toMatchObject({ isAdopted: true, request: { id, terminal: null } });
  expect(next.supervisor.get(id)?.view()).toMatchObject({
    status: 'backgrounded',
    terminal: null,
    progress: null,
    takesInput: false,
    awaitsInput: null,
  });
});

test('a watch of unknown type does not prevent the recovery', () => {
  const odd = { owner: 'conv_a', wants: { type: 'moon' }, since: 1, told: 0 };
  const { id, next } = begin(({ revival }) => {
    revival['watches'] = [odd, ...(revival['watches'] as unknown[])];
  });

  expect(next.supervisor.recovered).toMatchObject({ adopted: [id], damaged: [] });
  expect(next.supervisor.watches()).toMatchObject([{ processId: id, wants: { type: 'quiet' } }]);
});
