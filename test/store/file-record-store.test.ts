import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createFileRecordStore } from '../../src/store/file-record-store.ts';
import { type RecordFiles, systemFiles } from '../../src/store/record-files.ts';
import { tempDir } from '../support/os.ts';
import { interceptFiles, systemError } from './faulty-files.ts';
import { note, parseNote } from './note.ts';
import { describeRecordStore } from './record-store-conformance.ts';

const isRoot = process.geteuid?.() === 0;

function arrange(options: { files?: RecordFiles; hoursLater?: number } = {}) {
  const temp = tempDir();
  onTestFinished(() => temp.remove());
  const directory = temp.file('state/processes');
  const path = (id: string) => join(directory, `${id}.json`);
  const open = ({ files = systemFiles, hoursLater = 0 } = options) =>
    createFileRecordStore({
      directory,
      parse: parseNote,
      files,
      clock: { epochMs: () => Date.now() + hoursLater * 3_600_000 },
    });
  const put = (name: string, text: string) => {
    mkdirSync(directory, { recursive: true });
    writeFileSync(join(directory, name), text);
  };
  return { directory, path, open, put, store: open(), temp };
}

describeRecordStore('file', () => {
  const { temp, open, path, put } = arrange();
  return {
    open,
    plant: (id, text) => put(`${id}.json`, text),
    textOf: (id) => (statSync(path(id), { throwIfNoEntry: false }) ? readFileSync(path(id), 'utf8') : null),
    nameOf: path,
    end: () => temp.remove(),
  };
});

describe('the directory', () => {
  test('is made at the first save and for the owner only', () => {
    const { store, directory, path } = arrange();
    const umask = process.umask(0);
    onTestFinished(() => void process.umask(umask));
    store.load();
    expect(statSync(dirname(directory), { throwIfNoEntry: false })).toBeUndefined();

    store.save('tool_a', note('one'));
    store.save('tool_a', note('two'));

    const modeOf = (each: string) => statSync(each).mode & 0o7777;
    expect([dirname(directory), directory].map(modeOf)).toEqual([0o700, 0o700]);
    expect(modeOf(path('tool_a'))).toBe(0o600);
  });

  test('keeps the mode it has', () => {
    const { store, directory } = arrange();
    mkdirSync(directory, { recursive: true });
    chmodSync(directory, 0o750);

    store.save('tool_a', note('one'));

    expect(statSync(directory).mode & 0o777).toBe(0o750);
  });

  test('is made again after its removal', () => {
    const { store, directory } = arrange();
    store.save('tool_a', note('one'));
    rmSync(dirname(directory), { recursive: true });

    store.save('tool_a', note('two'));

    expect(store.read('tool_a')).toEqual(note('two'));
  });

  test('holds nothing but records after saving', () => {
    const { store, directory } = arrange();

    for (let round = 0; round < 10; round += 1) store.save(`tool_${round % 3}`, note(`${round}`));

    expect(readdirSync(directory).sort()).toEqual(['tool_0.json', 'tool_1.json', 'tool_2.json']);
  });

  test('is not taken for empty when it cannot be listed', () => {
    const { open } = arrange();
    const files: RecordFiles = {
      ...systemFiles,
      list: () => {
        throw systemError('EMFILE');
      },
    };

    expect(() => open({ files }).load()).toThrow('EMFILE');
  });

  test('is reported when a file is in its place', () => {
    const { store, put, directory } = arrange();
    put('x', '');
    rmSync(directory, { recursive: true });
    writeFileSync(directory, 'mine');

    expect(() => store.save('tool_a', note('one'))).toThrow('ENOTDIR');
    expect(() => store.load()).toThrow('ENOTDIR');
    expect(readFileSync(directory, 'utf8')).toBe('mine');
  });

  test('may hold what is no record', () => {
    const { store, put } = arrange();
    const strangers = [
      'tool_a.log',
      'tool_a.status',
      'a b.json',
      'a.b.json',
      '.json',
      '.recovery.lock',
      'x.tmp',
    ];
    for (const name of strangers) put(name, '{"version":1}');

    expect(store.load()).toEqual({ records: [], damaged: [] });
  });
});

describe('what is in the place of a record', () => {
  const plants: readonly [what: string, why: string, plant: (path: string) => void][] = [
    ['a directory', 'it is a directory', (path) => mkdirSync(path)],
    ['a FIFO', 'it is not a regular file', (path) => execFileSync('mkfifo', [path])],
    ['a dangling link', 'it is a symbolic link', (path) => symlinkSync('nowhere', path)],
    ['a link to a record', 'it is a symbolic link', (path) => symlinkSync('tool_whole.json', path)],
    ['an empty file', 'it is empty', (path) => writeFileSync(path, '')],
    ['not UTF-8', 'it is not UTF-8', (path) => writeFileSync(path, Buffer.from([0x22, 0xff, 0x22]))],
    ['too large', 'it has 16777217 bytes', (path) => growTo(path, 16 * 2 ** 20 + 1)],
  ];

  test.each(plants)('%s is reported and left alone', (_, why, plant) => {
    const { store, path } = arrange();
    store.save('tool_whole', note('one'));
    plant(path('tool_bad'));
    const before = describeEntry(path('tool_bad'));

    const { records, damaged } = store.load();

    expect(records).toEqual([note('one')]);
    expect(damaged).toEqual([{ name: path('tool_bad'), why: expect.stringContaining(why) }]);
    expect(store.read('tool_bad')).toBeNull();
    expect(describeEntry(path('tool_bad'))).toBe(before);
  });

  test.runIf(isRoot)('another user’s file is not parsed', () => {
    const { store, path } = arrange();
    store.save('tool_a', note('forged'));
    chownSync(path('tool_a'), 12_345, 12_345);

    expect(store.read('tool_a')).toBeNull();
    expect(store.load().damaged).toEqual([
      { name: path('tool_a'), why: 'another user owns it, so it is not trusted' },
    ]);
  });

  test('another user’s file is not even read', () => {
    const calls: string[] = [];
    const files: RecordFiles = {
      ...interceptFiles((call) => calls.push(call)),
      inspect: (file) => ({ ...systemFiles.inspect(file), isOurs: false }),
    };
    const { open, store } = arrange();
    store.save('tool_a', note('forged'));

    const { damaged } = open({ files }).load();

    expect(damaged[0]?.why).toContain('another user owns it');
    expect(calls).toEqual(['list', 'open', 'close']);
  });

  test.each([
    ['open', 'EACCES'],
    ['open', 'EMFILE'],
    ['inspect', 'EIO'],
    ['read', 'EIO'],
  ] as const)('unreadable: %s says %s', (call, code) => {
    const { open, store, path } = arrange();
    store.save('tool_a', note('one'));
    const files = interceptFiles((name) => {
      if (name === call) throw systemError(code);
    });

    const { records, damaged } = open({ files }).load();

    expect(records).toEqual([]);
    expect(damaged).toEqual([
      { name: path('tool_a'), why: expect.stringContaining(`it cannot be read: ${code}`) },
    ]);
    expect(store.read('tool_a')).toEqual(note('one'));
  });

  test('a record removed during loading is no damage', () => {
    const { open, store } = arrange();
    store.save('tool_a', note('one'));
    const files = { ...systemFiles, list: (at: string) => [...systemFiles.list(at), 'tool_gone.json'] };

    expect(open({ files }).load()).toEqual({ records: [note('one')], damaged: [] });
  });

  test('a save replaces a link, not what it leads to', () => {
    const { store, path, put } = arrange();
    put('precious.txt', 'mine');
    symlinkSync('precious.txt', path('tool_a'));

    store.save('tool_a', note('one'));

    expect(store.read('tool_a')).toEqual(note('one'));
    expect(readFileSync(join(dirname(path('tool_a')), 'precious.txt'), 'utf8')).toBe('mine');
  });

  test('a save does not replace a directory', () => {
    const { store, path, directory } = arrange();
    mkdirSync(path('tool_a'), { recursive: true });

    expect(() => store.save('tool_a', note('one'))).toThrow(/EISDIR|ENOTEMPTY/);

    expect(readdirSync(directory)).toEqual(['tool_a.json']);
  });
});

describe('a save', () => {
  const firstCalls = ['create', 'makeDirectory', 'create', 'write', 'close', 'rename'];
  const laterCalls = ['create', 'write', 'close', 'rename'];

  test('is a few calls to the system', () => {
    const calls: string[] = [];
    const { store } = arrange({ files: interceptFiles((call) => calls.push(call)) });

    store.save('tool_a', note('one'));
    expect(calls.splice(0)).toEqual(firstCalls);
    store.save('tool_a', note('two'));
    expect(calls).toEqual(laterCalls);
  });

  test.each(['ENOSPC', 'EACCES', 'EDQUOT'])('leaves the earlier record when it fails with %s', (code) => {
    for (const [index, failing] of laterCalls.entries()) {
      const { open, store, directory } = arrange();
      store.save('tool_a', note('before'));
      const files = interceptFiles((_, count) => {
        if (count === index + 1) throw systemError(code);
      });

      expect(() => open({ files }).save('tool_a', note('after')), failing).toThrow(systemError(code));

      expect(store.load(), failing).toEqual({ records: [note('before')], damaged: [] });
      expect(readdirSync(directory), failing).toEqual(['tool_a.json']);
    }
  });

  test('leaves nothing when the first one fails', () => {
    for (const [index, failing] of firstCalls.entries()) {
      const { open, store, directory } = arrange();
      const files = interceptFiles((_, count) => {
        if (count === index + 1) throw systemError('EACCES');
      });

      expect(() => open({ files }).save('tool_a', note('one')), failing).toThrow('EACCES');

      expect(store.load(), failing).toEqual({ records: [], damaged: [] });
      expect(listIfThere(directory), failing).toEqual([]);
    }
  });

  test('leaves the old or the new record after a crash', () => {
    const outcomes = laterCalls.map((_, index) => {
      const { open, store } = arrange();
      store.save('tool_a', note('before'));
      // From that call on this program does nothing any more.
      const files = interceptFiles((_call, count) => {
        if (count > index) throw systemError('CRASH');
      });

      expect(() => open({ files }).save('tool_a', note('after'))).toThrow('CRASH');

      const { records, damaged } = store.load();
      expect(damaged).toEqual([]);
      store.save('tool_a', note('next'));
      expect(store.read('tool_a')).toEqual(note('next'));
      return records[0]?.text;
    });

    expect(outcomes).toEqual(['before', 'before', 'before', 'before']);
  });

  test('continues after a partial write', () => {
    const record = note('grün 🎭'.repeat(50));
    const write: RecordFiles['write'] = (file, bytes) => systemFiles.write(file, bytes.subarray(0, 7));
    const { store } = arrange({ files: { ...systemFiles, write } });

    store.save('tool_a', record);

    expect(store.read('tool_a')).toEqual(record);
  });

  test('reads on where a reading gives only a part', () => {
    const record = note('grün 🎭'.repeat(50));
    const read: RecordFiles['read'] = (file, into) => systemFiles.read(file, into.subarray(0, 7));
    const { store } = arrange({ files: { ...systemFiles, read } });

    store.save('tool_a', record);

    expect(store.read('tool_a')).toEqual(record);
  });

  test.each([
    ['says so', 'ENOSPC'],
    ['takes nothing more', 'only 10 of'],
  ])('on a disk that is full in the middle and %s', (_, message) => {
    let count = 0;
    const write: RecordFiles['write'] = (file, bytes) => {
      count += 1;
      if (count === 1) return systemFiles.write(file, bytes.subarray(0, 10));
      if (message === 'ENOSPC') throw systemError('ENOSPC');
      return 0;
    };
    const { store, open, directory } = arrange();
    store.save('tool_a', note('before'));

    expect(() => open({ files: { ...systemFiles, write } }).save('tool_a', note('after'))).toThrow(message);

    expect(store.load()).toEqual({ records: [note('before')], damaged: [] });
    expect(readdirSync(directory)).toEqual(['tool_a.json']);
  });

  test('takes the next name where one is taken', () => {
    const { store, put, directory } = arrange();
    put(`.tool_a.json.${process.pid}.0.tmp`, 'of a program with our pid, in another namespace');

    store.save('tool_a', note('one'));

    expect(store.read('tool_a')).toEqual(note('one'));
    expect(readFileSync(join(directory, `.tool_a.json.${process.pid}.0.tmp`), 'utf8')).toMatch(
      /^of a program/,
    );
  });

  test('leaves no descriptor open, whatever happens', () => {
    const { store, open, path, directory } = arrange();
    store.save('tool_a', note('one'));
    mkdirSync(path('tool_dir'));
    const failing = (['write', 'rename'] as const).map((call) =>
      open({
        files: interceptFiles((name) => {
          if (name === call) throw systemError('EIO');
        }),
      }),
    );
    for (let round = 0; round < 50; round += 1) {
      store.save('tool_a', note(`${round}`));
      for (const each of failing) expect(() => each.save('tool_a', note('x'))).toThrow('EIO');
      expect(() => store.save('tool_dir', note('x'))).toThrow();
      store.load();
    }

    expect(listOpenFiles().filter((file) => file.startsWith(directory))).toEqual([]);
    expect(readdirSync(directory).sort()).toEqual(['tool_a.json', 'tool_dir.json']);
  });
});

describe('a draft', () => {
  const deadPid = 2 ** 30;

  test.each([
    ['an old one of a dead writer goes', { pid: deadPid, hoursLater: 1.1, isLeft: false }],
    ['a young one of a dead writer stays', { pid: deadPid, hoursLater: 0.9, isLeft: true }],
    ['an old one of a living writer stays', { pid: process.pid, hoursLater: 1.1, isLeft: true }],
    ['one from the future stays', { pid: deadPid, hoursLater: -5, isLeft: true }],
  ])('%s', (_, { pid, hoursLater, isLeft }) => {
    const { open, put, directory } = arrange();
    const draft = `.tool_a.json.${pid}.3.tmp`;
    put(draft, '{"half');

    expect(open({ hoursLater }).load()).toEqual({ records: [], damaged: [] });

    expect(readdirSync(directory)).toEqual(isLeft ? [draft] : []);
  });

  test('is recognised by its exact name only', () => {
    const { open, put, directory } = arrange();
    const names = ['.tool_a.json.7.tmp', 'tool_a.json.7.0.tmp', `.a b.json.${deadPid}.0.tmp`, '.vimrc.tmp'];
    for (const name of names) put(name, '');

    open({ hoursLater: 48 }).load();

    expect(readdirSync(directory).sort()).toEqual(names.toSorted());
  });

  test('does not hinder loading when it cannot be removed', () => {
    const { open, put, store } = arrange();
    store.save('tool_a', note('one'));
    put(`.tool_b.json.${deadPid}.0.tmp`, '');
    const files: RecordFiles = {
      ...systemFiles,
      remove: () => {
        throw systemError('EPERM');
      },
    };

    expect(open({ files, hoursLater: 2 }).load().records).toEqual([note('one')]);
  });

  test('keeps its age by its last write', () => {
    const { open, put, directory } = arrange();
    const draft = `.tool_a.json.${deadPid}.0.tmp`;
    put(draft, '');
    const twoHoursAgo = new Date(Date.now() - 7_200_000);
    utimesSync(join(directory, draft), twoHoursAgo, twoHoursAgo);

    open().load();

    expect(readdirSync(directory)).toEqual([]);
  });
});

test('a record that cannot be removed says so', () => {
  const { open, store } = arrange();
  store.save('tool_a', note('one'));
  const files: RecordFiles = {
    ...systemFiles,
    remove: () => {
      throw systemError('EPERM');
    },
  };

  expect(() => open({ files }).remove('tool_a')).toThrow('EPERM');
});

function growTo(path: string, sizeBytes: number): void {
  writeFileSync(path, '');
  truncateSync(path, sizeBytes);
}

function describeEntry(path: string): string {
  const { dev, ino, mode, size, mtimeMs } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return JSON.stringify({ dev, ino, mode, size, mtimeMs });
}

function listOpenFiles(): readonly string[] {
  return readdirSync('/proc/self/fd').flatMap((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      // It is the one by which they were listed.
      return [];
    }
  });
}

function listIfThere(directory: string): readonly string[] {
  return statSync(directory, { throwIfNoEntry: false }) === undefined ? [] : readdirSync(directory);
}
