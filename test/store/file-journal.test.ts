import { execFile } from 'node:child_process';
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFileJournal } from '../../src/store/file-journal.ts';
import { fixtureProgram, tempDir } from '../fixtures/os.ts';

const entries = [{ type: 'one', text: 'grün\n' }, { type: 'two' }, { type: 'three' }];

function write(path: string, given: readonly unknown[]): void {
  const journal = createFileJournal(path);
  for (const entry of given) journal.append(entry);
  journal.close();
}

function readAll(path: string): readonly unknown[] {
  const journal = createFileJournal(path);
  const read = journal.read();
  journal.close();
  return read;
}

test('what was written is read again', () => {
  using directory = tempDir();
  const path = directory.file('conversations/talk.jsonl');

  write(path, entries.slice(0, 2));
  write(path, entries.slice(2));

  expect(readAll(path)).toEqual(entries);
  expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(4);
});

test('only the owner may read it', () => {
  using directory = tempDir();

  write(directory.file('conversations/talk.jsonl'), entries);

  expect(statSync(directory.file('conversations')).mode & 0o777).toBe(0o700);
  expect(statSync(directory.file('conversations/talk.jsonl')).mode & 0o777).toBe(0o600);
});

test('nothing is made before the first use', () => {
  using directory = tempDir();

  createFileJournal(directory.file('deep/talk.jsonl')).close();

  expect(() => statSync(directory.file('deep'))).toThrow('ENOENT');
});

test('a line that a crash cut off is gone', () => {
  fc.assert(
    fc.property(fc.nat(), (at) => {
      using directory = tempDir();
      const path = directory.file('talk.jsonl');
      write(path, entries);
      const bytes = readFileSync(path);
      const cut = at % (bytes.byteLength + 1);
      writeFileSync(path, bytes.subarray(0, cut));
      const whole = bytes.subarray(0, cut).toString().split('\n').length - 1;

      write(path, [{ type: 'later' }]);

      expect(readAll(path)).toEqual([...entries.slice(0, whole), { type: 'later' }]);
    }),
    { numRuns: 60 },
  );
});

test('a line that is no JSON is skipped and kept', () => {
  using directory = tempDir();
  const path = directory.file('talk.jsonl');
  write(path, entries.slice(0, 1));
  appendFileSync(path, '{"half": \n\0\0\0\n\n');

  write(path, entries.slice(1));

  expect(readAll(path)).toEqual(entries);
  expect(readFileSync(path, 'utf8')).toContain('{"half": ');
});

test('a full disk leaves no half of a line', async () => {
  using directory = tempDir();
  const path = directory.file('talk.jsonl');
  const script = 'ulimit -f 8; exec "$0" "$@"';

  const { stdout } = await promisify(execFile)('/bin/sh', [
    '-c',
    script,
    process.execPath,
    fixtureProgram('fills-journal.ts'),
    path,
  ]);

  const { written, error } = JSON.parse(stdout) as { written: number; error: string };
  expect(error).toMatch(/EFBIG|ENOSPC/);
  expect(written).toBeGreaterThan(1);
  expect(readAll(path)).toHaveLength(written);
  expect(readFileSync(path).at(-1)).toBe(10);
});

test('a directory that cannot be made is told', () => {
  using directory = tempDir();
  writeFileSync(directory.file('plain'), '');

  const journal = createFileJournal(directory.file('plain/talk.jsonl'));

  expect(() => journal.append({})).toThrow(/ENOTDIR|EEXIST/);
});
