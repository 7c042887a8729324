import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { createFileJournal, readJournal } from '../../src/store/file-journal.ts';
import { endAll, fixtureProgram, tempDir } from '../support/os.ts';

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

test('written entries are read again', () => {
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

test('a journal creates no file before its first use', () => {
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
      const kept = bytes.subarray(0, cut).toString();
      // An entry that only lacks its line feed is there.
      const whole = kept.split('\n').length - 1 + (kept.endsWith('}') ? 1 : 0);

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

test('a directory that cannot be created is an error', () => {
  using directory = tempDir();
  writeFileSync(directory.file('plain'), '');

  const journal = createFileJournal(directory.file('plain/talk.jsonl'));

  expect(() => journal.append({})).toThrow(/ENOTDIR|EEXIST/);
});

test('another program keeps away from a journal', async () => {
  using directory = tempDir();
  const path = directory.file('talk.jsonl');
  const program = `
    import { createFileJournal, readJournal } from '${new URL('../../src/store/file-journal.ts', import.meta.url)}';
    createFileJournal('${path}').append({ type: 'theirs' });
    console.log('open');
    process.stdin.resume();
  `;
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', program], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  onTestFinished(() => endAll([child.pid ?? 0]));
  await once(child.stdout, 'data');

  expect(() => createFileJournal(path).read()).toThrow(
    expect.objectContaining({
      code: 'conversation-in-use',
      message: expect.stringContaining(`pid ${child.pid}`),
    }),
  );
  // A killed program leaves its lock behind, and that lock keeps no other program out.
  child.kill('SIGKILL');
  await ended;
  const journal = createFileJournal(path);
  expect(journal.read()).toEqual([{ type: 'theirs' }]);
  journal.close();
  expect(readdirSync(directory.path)).toEqual(['talk.jsonl']);
});

test('a file that is not a journal is left alone', () => {
  using directory = tempDir();
  const path = directory.file('notes.txt');
  writeFileSync(path, 'my notes');

  expect(() => createFileJournal(path).read()).toThrow(
    expect.objectContaining({
      code: 'invalid-option',
      message: `${path} is not a journal: it does not begin with a JSON object. It was not changed; name another file.`,
    }),
  );
  // The lock is released, so the next answer is the same.
  expect(() => createFileJournal(path).read()).toThrow('is not a journal');
  expect(readFileSync(path, 'utf8')).toBe('my notes');
});

test('a journal is read while another program has it open, without a half line', () => {
  using directory = tempDir();
  const path = directory.file('talk.jsonl');
  const journal = createFileJournal(path);
  for (const entry of entries) journal.append(entry);
  appendFileSync(path, 'no JSON\n{"half":1}');

  expect(readJournal(path)).toEqual(entries);
  expect(readFileSync(path, 'utf8')).toMatch(/\{"half":1\}$/);
  journal.close();
});

test('an appended entry is not read from memory again', () => {
  using directory = tempDir();
  const path = directory.file('talk.jsonl');
  write(path, entries.slice(0, 1));
  const journal = createFileJournal(path);

  expect(journal.read()).toEqual(entries.slice(0, 1));
  journal.append(entries[1]);
  expect(journal.read()).toEqual([]);
  journal.close();
  journal.close();

  expect(readAll(path)).toEqual(entries.slice(0, 2));
});

test('an entry may begin with blanks', () => {
  using directory = tempDir();
  const path = directory.file('talk.jsonl');
  writeFileSync(path, '\n \t{"a":1}\n');

  expect(readAll(path)).toEqual([{ a: 1 }]);
});
