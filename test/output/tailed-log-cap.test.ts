import { spawn } from 'node:child_process';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRealClock } from '../../src/clock/real-clock.ts';
import { iterateChunks } from '../../src/output/lossless-reading.ts';
import type { OutputPiece } from '../../src/output/output-chunk.ts';
import type { OutputLog } from '../../src/output/output-log.ts';
import { copyTailAndTruncate, punchHole, type TruncateLog } from '../../src/output/truncate-log.ts';
import { createVirtualClock } from '../../src/testing/virtual-clock.ts';
import { tempDir, waitUntil } from '../support/os.ts';
import { createFileLog } from '../support/output-logs.ts';
import { bytesOf, droppedIn } from './arrange.ts';

const maxBytes = 1024 * 1024;
const lineBytes = 16;
const timeout = 90_000;
const withinMs = 60_000;

/** A process that appends numbered lines of 16 bytes and never stops, and the log that tails it. */
function arrange(ways: readonly TruncateLog[]) {
  const directory = tempDir();
  const [path, statusPath] = [directory.file('a.log'), directory.file('a.status')];
  const writer = spawn('sh', ['-c', `exec seq -f '%015.0f' 0 100000000 >> "${path}"`], { stdio: 'ignore' });
  const open = (isOver: boolean, waysToMakeRoom = ways) =>
    createFileLog({
      clock: createRealClock(),
      path,
      statusPath,
      maxBytes,
      isOver,
      truncationStrategies: waysToMakeRoom,
    });
  const log = open(false);
  const ended = new Promise((resolve) => writer.once('exit', resolve));
  const stop = async () => {
    writer.kill('SIGKILL');
    await ended;
  };
  onTestFinished(async () => {
    await stop();
    await log.close();
    directory.remove();
  });
  return { log, path, statusPath, open, stop, isWriting: () => writer.exitCode === null };
}

/** Returns each line whose number does not match its place. Gaps count as the lines that they replace. */
function findBreaks(log: OutputLog): { breaks: string[]; lines: number; gaps: OutputPiece[] } {
  const breaks: string[] = [];
  const gaps: OutputPiece[] = [];
  let lines = 0;
  for (const piece of log.chunks(0)) {
    if (piece.type === 'gap') {
      gaps.push(piece);
      continue;
    }
    const first = (lineBytes - (piece.offset % lineBytes)) % lineBytes;
    for (let at = first; at + lineBytes <= piece.bytes.byteLength; at += lineBytes) {
      const text = Buffer.from(piece.bytes.buffer, piece.bytes.byteOffset + at, lineBytes).toString();
      lines += 1;
      const expected = `${String((piece.offset + at) / lineBytes).padStart(15, '0')}\n`;
      if (text !== expected && breaks.length < 3)
        breaks.push(`at ${piece.offset + at}: ${JSON.stringify(text)}`);
    }
  }
  return { breaks, lines, gaps };
}

describe('a log at its cap, with holes', { timeout }, () => {
  test('every remaining line is at its offset', async () => {
    const { log, path, stop, isWriting } = arrange([punchHole]);

    await waitUntil(() => log.stats().droppedBytes > 20 * maxBytes, { withinMs, what: 'the hole is large' });
    expect(isWriting()).toBe(true);
    await stop();
    const { breaks, gaps, lines } = findBreaks(log);

    expect(breaks).toEqual([]);
    expect(gaps).toHaveLength(1);
    expect(droppedIn(gaps)).toBe(log.stats().droppedBytes);
    expect(lines * lineBytes).toBeGreaterThanOrEqual(maxBytes / 16 + maxBytes / 8);
    expect(log.bytes).toBe(statSync(path).size);
  });

  test('a reader without loss keeps what it has not read, until it leaves', async () => {
    const { log, path } = arrange([punchHole]);
    const reader = iterateChunks(log);
    await waitUntil(() => (statSync(path, { throwIfNoEntry: false })?.blocks ?? 0) * 512 > 8 * maxBytes, {
      withinMs,
      what: 'it is beyond its cap',
    });

    expect(log.stats().droppedBytes).toBe(0);
    expect((await reader.next()).value).toMatchObject({ type: 'chunk', offset: 0 });
    await reader.return();

    await waitUntil(() => log.stats().droppedBytes > 0, { withinMs, what: 'a hole is there' });
  });

  test('a capped log stays within its cap after the last write', async () => {
    const { log, path, stop } = arrange([punchHole]);
    await waitUntil(() => log.stats().droppedBytes > 0, { withinMs, what: 'a hole is there' });

    await stop();

    await waitUntil(() => statSync(path).blocks * 512 <= maxBytes, { withinMs, what: 'it is below its cap' });
    expect(log.stats().degraded).toBeNull();
  });

  test('another program sees how many bytes are missing', async () => {
    const { log, path, stop } = arrange([punchHole]);
    await waitUntil(() => log.stats().droppedBytes > 0, { withinMs, what: 'a hole is there' });
    await stop();
    const written = () =>
      /\[troupe: (\d+) bytes missing here: the log file is at its cap\]/.exec(readFileSync(path, 'latin1'));

    await waitUntil(() => Number(written()?.[1]) === log.stats().droppedBytes, {
      withinMs,
      what: 'the line tells all',
    });
  });

  test('another reader finds the same gap', async () => {
    const { log, open, stop } = arrange([punchHole]);
    await waitUntil(() => log.stats().droppedBytes > 0, { withinMs, what: 'a hole is there' });
    await stop();
    await log.close();

    const other = open(true);

    expect(other.bytes).toBe(log.bytes);
    expect(findBreaks(other)).toEqual(findBreaks(log));
  });
});

test.each([
  ['with holes', punchHole],
  ['without holes', copyTailAndTruncate],
])('a log that is closed keeps as much as its cap allows, %s', async (_, way) => {
  using directory = tempDir();
  const [path, statusPath] = [directory.file('a.log'), directory.file('a.status')];
  writeFileSync(path, Buffer.alloc(5 * maxBytes, 'x'));
  const clock = createVirtualClock();
  const options = { clock, path, statusPath, maxBytes, isOver: false, waysToMakeRoom: [way] };
  const log = createFileLog(options);

  await log.close();

  const files = [path, `${path}.tail`].map((file) => statSync(file, { throwIfNoEntry: false })?.blocks ?? 0);
  const diskBytes = files.reduce((sum, blocks) => sum + blocks * 512, 0);
  expect(diskBytes).toBeLessThanOrEqual(maxBytes);
  expect(diskBytes).toBeGreaterThan(0.9 * maxBytes);
  expect(log.stats()).toMatchObject({ bytes: 5 * maxBytes, droppedBytes: expect.any(Number) });
  expect(log.stats().droppedBytes).toBeGreaterThanOrEqual(4 * maxBytes);
});

describe('a log at its cap, without holes', { timeout }, () => {
  const cannot: TruncateLog = async () => {
    throw Object.assign(new Error('this file system has no holes'), { code: 'EOPNOTSUPP' });
  };

  test('a capped log is in order, with a gap for missing bytes', async () => {
    const { log, open, stop, isWriting } = arrange([cannot, copyTailAndTruncate]);

    await waitUntil(() => log.stats().droppedBytes > 5 * maxBytes, { withinMs, what: 'it was cut' });
    expect(isWriting()).toBe(true);
    await stop();
    const pieces = [...log.chunks(0)];
    const numbers =
      bytesOf(pieces)
        .toString()
        .match(/\d{15}/g)
        ?.map(Number) ?? [];
    const jumps = numbers.filter((number, index) => index > 0 && number !== (numbers[index - 1] ?? 0) + 1);

    expect(numbers.every((number, index) => index === 0 || number > (numbers[index - 1] ?? 0))).toBe(true);
    expect(jumps.length).toBeLessThanOrEqual(pieces.filter(({ type }) => type === 'gap').length * 2);
    expect(droppedIn(pieces) + bytesOf(pieces).byteLength).toBe(log.bytes);
    expect(open(true).bytes).toBe(log.bytes);
  });

  test('a log that nothing makes smaller says so and grows on', async () => {
    const { log } = arrange([cannot]);

    await waitUntil(() => log.stats().degraded !== null, { withinMs, what: 'it is degraded' });

    expect(log.stats().degraded).toMatchObject({
      what: 'the log file is larger than its cap',
      missingBytes: 0,
    });
    const before = log.bytes;
    await waitUntil(() => log.bytes > before, { withinMs, what: 'it grows' });
  });
});

describe('a way to make room that fails', { timeout }, () => {
  test.each(['EMFILE', 'EAGAIN', 'ENOSPC'])('for now (%s) is tried again, and said', async (code) => {
    let failures = 0;
    let isShort = true;
    let others = 0;
    const flaky: TruncateLog = async (log) => {
      if (!isShort) return copyTailAndTruncate(log);
      failures += 1;
      throw Object.assign(new Error(`no luck: ${code}`), { code });
    };
    const other: TruncateLog = async () => {
      others += 1;
    };
    const { log } = arrange([flaky, other]);

    await waitUntil(() => log.stats().degraded?.error === `no luck: ${code}`, {
      withinMs,
      what: 'it is said',
    });
    await waitUntil(() => failures >= 2, { withinMs, what: 'it is tried again' });
    isShort = false;
    await waitUntil(() => log.stats().droppedBytes > 0, { withinMs, what: 'room is made' });

    await waitUntil(() => log.stats().degraded === null, { withinMs, what: 'it is said no longer' });
    expect(others).toBe(0);
  });

  test.each([
    { code: 'ENOENT', syscall: 'spawn fallocate' },
    { code: 'ENOSYS' },
    { code: 1, stderr: 'fallocate: keep size mode is unsupported' },
  ])('for good is not tried again: %j', async (facts) => {
    let tries = 0;
    const impossible: TruncateLog = async () => {
      tries += 1;
      throw Object.assign(new Error('never'), facts);
    };
    const { log } = arrange([impossible, copyTailAndTruncate]);

    await waitUntil(() => log.stats().droppedBytes > 2 * maxBytes, { withinMs, what: 'it was cut' });

    expect(tries).toBe(1);
    expect(log.stats().degraded).toBeNull();
  });
});
