import { statSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import type { LogFileSystem } from '../../src/output/log-file-system.ts';
import { nodeLogFileSystem } from '../../src/output/log-file-system.ts';
import { readOutput } from '../../src/output/read-output.ts';
import { tempDir } from '../support/os.ts';
import { createTestLog } from './arrange.ts';

const directory = tempDir();
afterAll(directory.remove);
const printedBytes = 1_000_000;

/** What is read of a log that holds 64 KiB in memory, after a million bytes, and its file. */
async function readLong(options: {
  name: string;
  maxLogBytes?: number;
  files?: LogFileSystem;
  maxBytes?: number;
}) {
  const { name, maxLogBytes = 10_000_000, files, maxBytes = 1_000 } = options;
  const path = directory.file(`${name}.log`);
  const logFile = { path, maxBytes: maxLogBytes, ...(files !== undefined && { files }) };
  const log = createTestLog({ maxBufferBytes: 64 * 1024, headBytes: 1024, logFile });
  for (let line = 0; line < printedBytes / 100; line += 1) {
    log.write('stdout', Buffer.from(`${String(line).padStart(99)}\n`));
    if (line % 1_000 === 0) await log.flush();
  }
  log.markEnd();
  await log.close();
  return { path, read: readOutput(log, { maxBytes, format: 'raw' }) };
}

const notice = /\[… (?<left>\d+) bytes left out(?<where>.*) …\]\n/;

function tellOf(text: string) {
  const { left, where } = notice.exec(text)?.groups ?? {};
  return { left: Number(left), where, shown: Buffer.byteLength(text.replace(notice, '')) };
}

test('a single count covers dropped and cut bytes', async () => {
  const { path, read } = await readLong({ name: 'whole' });

  const { left, shown, where } = tellOf(read.text);
  expect(left + shown).toBe(printedBytes);
  expect(read.omittedBytes).toBe(left);
  expect(read.text).not.toContain('no longer');
  expect(where).toBe(`; all of it is in ${path}`);
  expect(statSync(path).size).toBe(printedBytes);
});

test('a log at its cap is not said to have all', async () => {
  const { path, read } = await readLong({ name: 'capped', maxLogBytes: 100_000 });

  const { left, shown, where = '' } = tellOf(read.text);
  expect(left + shown).toBe(printedBytes);
  const missing = Number(/ has all but (\d+) bytes of the output$/.exec(where)?.[1]);
  const lineBytes = 80;
  expect(missing).toBeGreaterThanOrEqual(printedBytes - statSync(path).size);
  expect(missing).toBeLessThan(printedBytes - statSync(path).size + lineBytes);
});

test('a log on a full disk is not said to have all', async () => {
  let writes = 0;
  const full: LogFileSystem = {
    ...nodeLogFileSystem,
    open: async (...args) => {
      const handle = await nodeLogFileSystem.open(...args);
      const write = handle.writev.bind(handle);
      handle.writev = async (pieces) => {
        writes += 1;
        if (writes > 1) throw new Error('ENOSPC: no space left on device');
        return write(pieces);
      };
      return handle;
    },
  };

  const { path, read } = await readLong({ name: 'full', files: full });

  const missing = printedBytes - statSync(path).size;
  expect(missing).toBeGreaterThan(0);
  expect(tellOf(read.text).where).toBe(`; ${path} has all but ${missing} bytes of the output`);
});

test('output without a log is said to be nowhere', () => {
  const log = createTestLog();
  log.write('stdout', Buffer.from('x'.repeat(5_000)));

  expect(tellOf(readOutput(log, { maxBytes: 1_000 }).text)).toEqual({
    left: 4_000,
    where: '',
    shown: 1_000 + 1,
  });
});

test('bytes dropped from memory are said to be in the log', async () => {
  const { path, read } = await readLong({ name: 'gap', maxBytes: printedBytes });

  expect(read.truncated).toBe(false);
  expect(read.omittedBytes).toBe(printedBytes - 64 * 1024);
  expect(read.text).toContain(
    `[… ${read.omittedBytes} bytes of stdout are no longer in memory; all of it is in ${path} …]\n`,
  );
});
