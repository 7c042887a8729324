import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { LogFile } from '../../src/output/log-file.ts';
import { type LogFileSystem, nodeLogFileSystem } from '../../src/output/log-file-system.ts';
import type { OutputDegradation } from '../../src/output/output-store.ts';
import { createVirtualClock, type VirtualClock } from '../../src/testing/virtual-clock.ts';
import { isInstalled } from '../support/installed.ts';

const mebibyte = 1024 * 1024;
let directory: string;
let path: string;
let clock: VirtualClock;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'troupe-log-'));
  path = join(directory, 'logs', 'p1.log');
  clock = createVirtualClock();
});

afterEach(() => rmSync(directory, { recursive: true, force: true }));

function createFile(options: { path?: string; maxBytes?: number; files?: LogFileSystem } = {}): LogFile {
  return new LogFile({ path, maxBytes: 64 * mebibyte, clock, ...options });
}

/** Resolves when it holds: a disk may take its time. */
function until(check: () => void): Promise<void> {
  return vi.waitFor(check, { timeout: 15_000, interval: 5 });
}

/** A disk whose writes do what the test says. */
function diskThat(writes: {
  writev(original: () => Promise<{ bytesWritten: number }>): Promise<{ bytesWritten: number }>;
}): LogFileSystem {
  return {
    ...nodeLogFileSystem,
    async open(...args) {
      const handle = await nodeLogFileSystem.open(...args);
      return {
        writev: (buffers) => writes.writev(() => handle.writev(buffers)),
        write: (buffer, offset, length, position) => handle.write(buffer, offset, length, position),
        read: (buffer, offset, length, position) => handle.read(buffer, offset, length, position),
        stat: () => handle.stat(),
        truncate: (bytes) => handle.truncate(bytes),
        close: () => handle.close(),
      };
    },
  };
}

function missingIn(text: string): number {
  return [...text.matchAll(/\[troupe: (\d+) bytes missing here/g)].reduce(
    (sum, match) => sum + Number(match[1]),
    0,
  );
}

function outputIn(text: string): string {
  return text.replace(/\n\[troupe: [^\]]*\]\n/g, '');
}

describe('the log file', () => {
  test('is made at the first byte, for its owner', async () => {
    const file = createFile();
    const before = existsSync(path);

    file.write(Buffer.from('hello\n'));
    await until(() => expect(readFileSync(path, 'utf8')).toBe('hello\n'));

    expect(before).toBe(false);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'logs')).mode & 0o777).toBe(0o700);
    expect(file.path).toBe(path);
    await file.close();
  });

  test('holds every byte in order after closing', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 20_000 }), { maxLength: 30 }), async (lengths) => {
        rmSync(path, { force: true });
        const file = createFile();
        const pieces = lengths.map((length, index) => Buffer.alloc(length, 97 + (index % 26)));

        for (const piece of pieces) file.write(piece);
        await file.close();

        const expected = Buffer.concat(pieces);
        expect(expected.length === 0 || expected.equals(readFileSync(path))).toBe(true);
      }),
      { numRuns: 25 },
    );
  });

  test('never passes its cap and counts what is missing', async () => {
    const file = createFile({ maxBytes: 64 * 1024 });
    let written = '';

    for (let count = 0; count < 600; count += 1) {
      const line = `line ${count} ${'x'.repeat(count % 900)}\n`;
      written += line;
      if (!file.write(Buffer.from(line)) || count % 40 === 0)
        await new Promise<void>((go) => file.whenWritable(go));
      if (count % 40 === 0) await until(() => expect(statSync(path).size).toBeGreaterThan(0));
    }
    await file.close();

    const text = readFileSync(path, 'utf8');
    expect(statSync(path).size).toBeLessThanOrEqual(64 * 1024);
    expect(outputIn(text).length + missingIn(text)).toBe(written.length);
    expect(text.startsWith(written.slice(0, 4000))).toBe(true);
    expect(text.endsWith(written.slice(-8000))).toBe(true);
    expect(file.degraded).toBeNull();
  });

  test.skipIf(!isInstalled('tail'))('`tail -f` follows it over its cap', async () => {
    const file = createFile({ maxBytes: 64 * 1024 });
    file.write(Buffer.from('the first line\n'));
    await file.flush();
    const tail = spawn('tail', ['-n', '+1', '-f', path], { stdio: ['ignore', 'pipe', 'ignore'] });
    onTestFinished(() => void tail.kill());
    let seen = '';
    tail.stdout.setEncoding('utf8').on('data', (text: string) => {
      seen += text;
    });
    await until(() => expect(seen).toBe('the first line\n'));

    for (let count = 0; count < 200; count += 1) {
      file.write(Buffer.alloc(1000, 'x'));
      await file.flush();
    }
    file.write(Buffer.from('the last line\n'));
    await file.close();

    await until(() => expect(seen).toContain('the last line\n'));
  });

  test('far more than the cap at once is counted too', async () => {
    const file = createFile({ maxBytes: 10_000 });

    for (let count = 0; count < 60; count += 1) file.write(Buffer.alloc(50_001, 'x'));
    file.write(Buffer.from('the end'));
    await file.close();

    const text = readFileSync(path, 'utf8');
    expect(text.length).toBeLessThanOrEqual(10_000);
    expect(outputIn(text).length + missingIn(text)).toBe(60 * 50_001 + 7);
    expect(text.endsWith('the end')).toBe(true);
  });

  test('a full disk is reported once and its losses are counted', async () => {
    const told: OutputDegradation[] = [];
    let isFull = true;
    const files = diskThat({
      writev: (original) =>
        isFull ? Promise.reject(new Error('ENOSPC: no space left on device, write')) : original(),
    });
    const file = new LogFile({
      path,
      maxBytes: mebibyte,
      clock,
      files,
      onDegraded: (fact) => told.push(fact),
    });
    file.write(Buffer.from('lost one\n'));
    await until(() => expect(file.degraded).not.toBeNull());
    file.write(Buffer.from('lost two\n'));

    isFull = false;
    clock.advance(5_000);
    file.write(Buffer.from('kept\n'));
    await file.close();

    expect(told).toHaveLength(1);
    expect(readFileSync(path, 'utf8')).toBe(
      '\n[troupe: 18 bytes missing here: the log file could not be written]\nkept\n',
    );
    expect(file.degraded).toEqual({
      what: 'the log file could not be written',
      error: 'ENOSPC: no space left on device, write',
      missingBytes: 18,
    });
  });

  test('the full device of the system degrades it', async () => {
    const full = await open('/dev/full', 'a+');
    const file = createFile({ files: { ...nodeLogFileSystem, open: async () => full } });

    file.write(Buffer.from('x'));
    await until(() => expect(file.degraded?.error).toContain('ENOSPC'));

    expect(file.write(Buffer.alloc(mebibyte))).toBe(true);
    await file.close();
  });

  test.runIf(existsSync('/proc/self'))('a directory that the system never makes is refused', async () => {
    await expect(nodeLogFileSystem.mkdir('/proc/nope/processes')).rejects.toThrow('cannot be created');
  });

  test('a part that was written is not written again', async () => {
    const disk = await nodeLogFileSystem.open(join(directory, 'part'), 'readAndAppend');
    const files: LogFileSystem = {
      ...nodeLogFileSystem,
      open: async () => ({
        writev: async (buffers) => disk.writev([(buffers[0] ?? new Uint8Array(0)).subarray(0, 7)]),
        write: (buffer, offset, length, position) => disk.write(buffer, offset, length, position),
        truncate: (bytes) => disk.truncate(bytes),
        read: (buffer, offset, length, position) => disk.read(buffer, offset, length, position),
        stat: () => disk.stat(),
        close: () => disk.close(),
      }),
      stat: () => disk.stat(),
    };
    const file = createFile({ files });

    file.write(Buffer.from('abcdefghijklmnopqrstuvwxyz'.repeat(10)));
    await file.close();

    expect(readFileSync(join(directory, 'part'), 'utf8')).toBe('abcdefghijklmnopqrstuvwxyz'.repeat(10));
  });

  test('a file in place of a directory degrades it', async () => {
    writeFileSync(join(directory, 'logs'), '');
    const file = createFile();

    file.write(Buffer.from('x'));
    await until(() => expect(file.degraded).not.toBeNull());

    expect(file.degraded).toMatchObject({ what: 'the log file could not be written', missingBytes: 1 });
    expect(file.path).toBeNull();
    await file.close();
  });

  test('a directory in place of the file degrades it', async () => {
    const file = createFile({ path: directory });

    file.write(Buffer.from('x'));
    await file.close();

    expect(file.degraded?.error).toContain('EISDIR');
  });

  test('a removed log is noticed and begun anew', async () => {
    const file = createFile();
    file.write(Buffer.from('gone\n'));
    await file.flush();

    rmSync(path);
    clock.advance(1_000);
    file.write(Buffer.from('kept\n'));
    await file.close();

    expect(readFileSync(path, 'utf8')).toBe(
      '\n[troupe: 5 bytes missing here: the log file was removed or replaced]\nkept\n',
    );
    expect(file.degraded).toMatchObject({ what: 'the log file was removed or replaced', missingBytes: 5 });
  });

  test('a log moved away is noticed at the end', async () => {
    const file = createFile();
    file.write(Buffer.from('moved\n'));
    await file.flush();

    renameSync(path, join(directory, 'elsewhere'));
    await file.close();

    expect(file.path).toBeNull();
    expect(file.degraded).not.toBeNull();
    expect(existsSync(path)).toBe(false);
  });

  test('a stalled disk holds the source a second at most', async () => {
    let resume = () => {};
    const stalled = new Promise<void>((resolve) => {
      resume = resolve;
    });
    const files = diskThat({ writev: (original) => stalled.then(original) });
    const file = createFile({ files });
    let answers = 0;
    for (let count = 0; count < 20; count += 1) {
      if (!file.write(Buffer.alloc(mebibyte, 'a'))) {
        file.whenWritable(() => {
          answers += 1;
        });
        break;
      }
    }
    await Promise.resolve();
    const before = answers;

    clock.advance(1_000);
    await until(() => expect(answers).toBe(1));
    for (let count = 0; count < 20; count += 1) expect(file.write(Buffer.alloc(mebibyte, 'b'))).toBe(true);
    resume();
    await file.close();

    const text = readFileSync(path, 'utf8');
    expect(before).toBe(0);
    expect(missingIn(text)).toBe(file.degraded?.missingBytes);
    expect(outputIn(text).length + missingIn(text)).toBe(25 * mebibyte);
  });

  test('closing settles although the disk hangs', async () => {
    const files = diskThat({ writev: () => new Promise(() => {}) });
    const file = createFile({ files });
    file.write(Buffer.from('x'));
    await until(() => expect(existsSync(path)).toBe(true));

    const closed = file.close();
    clock.advance(5_000);
    await closed;

    expect(file.degraded?.error).toContain('did not answer');
  });

  test('a failed compaction leaves the log as it was', async () => {
    const files: LogFileSystem = {
      ...nodeLogFileSystem,
      open: (at, access) =>
        access === 'change'
          ? Promise.reject(new Error('EMFILE: too many open files'))
          : nodeLogFileSystem.open(at, access),
    };
    const file = createFile({ files, maxBytes: 4096 });

    for (let count = 0; count < 10; count += 1) file.write(Buffer.alloc(1000, 'x'));
    await until(() => expect(file.degraded?.error).toContain('EMFILE'));
    await file.close();

    expect(readFileSync(path, 'utf8').startsWith('x'.repeat(4096))).toBe(true);
  });

  test('a compaction that failed halfway is done again from the same bytes', async () => {
    let failures = 0;
    const files: LogFileSystem = {
      ...nodeLogFileSystem,
      open: async (...args) => {
        const handle = await nodeLogFileSystem.open(...args);
        return Object.assign(handle, {
          truncate: (bytes: number) => {
            failures += 1;
            return failures === 1 ? Promise.reject(new Error('EIO: i/o error')) : truncateSync(path, bytes);
          },
        });
      },
    };
    const file = createFile({ files, maxBytes: 4096 });
    const piece = (letter: string) => Buffer.alloc(1000, letter);
    for (const letter of 'abcdef') file.write(piece(letter));
    await until(() => expect(file.degraded?.error).toContain('EIO'));
    const lost = file.degraded?.missingBytes ?? 0;

    clock.advance(5_000);
    file.write(piece('g'));
    await file.close();

    const text = readFileSync(path, 'utf8');
    expect(lost).toBeGreaterThan(0);
    expect(text).toMatch(/^a{256}\n\[troupe: /);
    expect(text.endsWith('g'.repeat(1000))).toBe(true);
    expect(outputIn(text).length + missingIn(text)).toBe(7000);
  });
});

test('writes never overlap, even when a close meets a flush', async () => {
  let writes = 0;
  let most = 0;
  const files = diskThat({
    writev: async (original) => {
      writes += 1;
      most = Math.max(most, writes);
      const result = await original();
      writes -= 1;
      return result;
    },
  });
  const file = createFile({ files });
  file.write(Buffer.from('first\n'));
  await file.flush();

  file.write(Buffer.alloc(3 * mebibyte, 'x'));
  await file.close();

  expect(most).toBe(1);
  expect(readFileSync(path, 'utf8')).toBe(`first\n${'x'.repeat(3 * mebibyte)}`);
});

test('a flush settles while output continues', async () => {
  const file = createFile();
  file.write(Buffer.from('before\n'));

  const flushed = file.flush().then(() => readFileSync(path, 'utf8'));
  file.write(Buffer.from('after\n'));

  expect(await flushed).toContain('before\n');
  await file.close();
});
