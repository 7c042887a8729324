import { appendFileSync, writeFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createRealClock } from '../../src/clock/real-clock.ts';
import { iterateLog } from '../../src/output/follow-log.ts';
import { toGapLine } from '../../src/output/log-map.ts';
import { lines$, output$ } from '../../src/output/observables.ts';
import type { OutputLog } from '../../src/output/output-log.ts';
import { type ReadOptions, readOutput } from '../../src/output/read-output.ts';
import { createReader } from '../../src/output/reader.ts';
import { tempDir, waitUntil } from '../support/os.ts';
import { createFileLog, createMemoryLog } from '../support/output-logs.ts';
import { bytesOf, droppedIn } from './arrange.ts';

interface Options {
  readonly secrets?: readonly string[];
  readonly onListenerError?: (error: unknown) => void;
}

interface LogUnderTest {
  readonly log: OutputLog;
  /** Lets output of the process arrive. */
  print(text: string): void;
}

/** How the output of a process gets into a log over each store. */
interface StoreUnderTest {
  open(options?: Options): LogUnderTest;
  /** Opens a log that keeps only the first `headBytes` and the last `tailBytes` of this text. */
  openCapped(text: string, kept: { readonly headBytes: number; readonly tailBytes: number }): OutputLog;
}

const clock = createRealClock();

const memory: StoreUnderTest = {
  open: (options = {}) => {
    const log = createMemoryLog({ clock, maxBufferBytes: 2 ** 20, headBytes: 64 * 1024, ...options });
    return { log, print: (text) => void log.write('stdout', Buffer.from(text)) };
  },
  openCapped: (text, { headBytes, tailBytes }) => {
    const log = createMemoryLog({ clock, maxBufferBytes: headBytes + tailBytes, headBytes });
    log.write('stdout', Buffer.from(text));
    return log;
  },
};

const file: StoreUnderTest = {
  open: (options = {}) => {
    const { path, open } = arrangeFile();
    return { log: open(options), print: (text) => appendFileSync(path, text) };
  },
  openCapped: (text, { headBytes, tailBytes }) => {
    const { path, statusPath, open } = arrangeFile();
    const gap = { from: headBytes, to: text.length - tailBytes };
    writeFileSync(statusPath, toGapLine(gap));
    writeFileSync(path, text.slice(0, gap.from) + '\0'.repeat(gap.to - gap.from) + text.slice(gap.to));
    return open();
  },
};

function arrangeFile() {
  const directory = tempDir();
  const [path, statusPath] = [directory.file('a.log'), directory.file('a.status')];
  const open = (options: Options = {}) => {
    const log = createFileLog({ clock, path, statusPath, maxBytes: 2 ** 20, isOver: false, ...options });
    onTestFinished(() => log.close());
    return log;
  };
  onTestFinished(directory.remove);
  return { path, statusPath, open };
}

/** Lines of equal length, so that a position in them is easily computed. */
function toLines(count: number): string {
  return Array.from({ length: count }, (_, index) => `line ${String(index).padStart(4, '0')}\n`).join('');
}

const lineBytes = 10;

describe.each(Object.entries({ memory, file }))('a log over a %s store', (_, store) => {
  test('a log without output is empty and sound', () => {
    const { log } = store.open();

    expect([log.bytes, [...log.chunks(0)], [...log.chunksBackward()]]).toEqual([0, [], []]);
    const empty = {
      bytes: 0,
      lines: 0,
      logFile: null,
      droppedBytes: 0,
      lastOutputAtMs: null,
      degraded: null,
      binary: false,
    };
    expect(log.stats()).toMatchObject(empty);
  });

  test('output is read from any offset', () => {
    const { log, print } = store.open();

    print('one\n');
    const before = log.bytes;
    print('two\n');

    expect([before, log.bytes]).toEqual([4, 8]);
    expect(log.positions).toEqual({ stdout: 8, stderr: 0, screen: 0 });
    expect(bytesOf(log.chunks(0)).toString()).toBe('one\ntwo\n');
    expect(bytesOf(log.chunks(6)).toString()).toBe('o\n');
    expect([...log.chunks(8), ...log.chunks(0, 'stderr')]).toEqual([]);
    expect(log.stats()).toMatchObject({ bytes: 8, lines: 2, droppedBytes: 0 });
  });

  test('output is the same from either end', () => {
    const { log, print } = store.open();
    const text = toLines(20_000);

    print(text);

    expect(bytesOf(log.chunks(0)).toString()).toBe(text);
    expect(bytesOf([...log.chunksBackward()].reverse()).toString()).toBe(text);
  });

  test('output after the end is labelled until the next attempt', () => {
    const { log, print } = store.open();
    print('own');
    log.markEnd();
    print('late');
    log.markRestart();
    print('new');

    const late = [...log.chunks(0)].filter((piece) => piece.type === 'chunk' && piece.afterEnd);

    expect(bytesOf(log.chunks(0)).toString()).toBe('ownlatenew');
    expect(bytesOf(late).toString()).toBe('late');
    expect(log.ended).toBe(false);
  });

  test('a listener that throws is not called again', async () => {
    const errors: unknown[] = [];
    const { log, print } = store.open({ onListenerError: (error) => errors.push(error) });
    let heard = 0;
    log.onWrite(() => {
      throw new Error('broken');
    });
    log.onWrite(() => {
      heard += 1;
    });

    print('x');
    await waitUntil(() => heard === 1, { what: 'the other listener is called' });
    log.finish();

    expect(heard).toBe(2);
    expect(errors).toHaveLength(1);
  });

  test('a subscriber gets what is kept, then what comes, once', async () => {
    const { log, print } = store.open();
    let seen = '';
    print('kept, ');
    output$(log).subscribe((piece) => {
      seen += bytesOf([piece]).toString();
    });

    print('then this');
    await waitUntil(() => seen.length >= 15, { what: 'the rest is emitted' });
    log.finish();

    expect(seen).toBe('kept, then this');
  });

  test('lines come when they are complete, and end with the log', async () => {
    const { log, print } = store.open();
    const seen: string[] = [];
    let completed = 0;
    lines$(log, { clock }).subscribe({
      next: (line) => void seen.push('text' in line ? line.text : 'gap'),
      complete: () => {
        completed += 1;
      },
    });

    print('one\n');
    await waitUntil(() => seen.length === 1, { what: 'the first line is emitted' });
    print('two\nthr');
    await waitUntil(() => seen.length === 2, { what: 'the second line is emitted' });
    print('ee\n');
    log.markEnd();
    log.finish();

    expect(seen).toEqual(['one', 'two', 'three']);
    expect(completed).toBe(1);
  });

  test('an iterator waits for what comes and ends with the log', async () => {
    const { log, print } = store.open();
    print('one');
    const pieces = iterateLog(log);
    const first = await pieces.next();

    const next = pieces.next();
    print('two');

    expect(bytesOf([first.value ?? []].flat()).toString()).toBe('one');
    expect(bytesOf([(await next).value ?? []].flat()).toString()).toBe('two');
    log.finish();
    expect((await pieces.next()).done).toBe(true);
  });

  test('a reader continues after what it has acknowledged', () => {
    const { log, print } = store.open();
    const reader = createReader(log);
    print('one\n');
    const read = reader.read();
    const repeated = reader.read();

    reader.acknowledge(read);
    print('two\n');

    expect([read.text, repeated.text, reader.read().text]).toEqual(['one\n', 'one\n', 'two\n']);
  });

  test('a secret is in nothing that is read', () => {
    const { log, print } = store.open({ secrets: ['swordfish-1789'] });

    print('key: swordfish-1789\n');
    print('next\n');

    expect(readOutput(log).text).toBe('key: [redacted]\nnext\n');
    expect(readOutput(log, { grep: 'sword' }).text).toBe('');
    expect(bytesOf(log.chunks(0)).toString()).not.toContain('sword');
    expect(bytesOf([...log.chunksBackward()].reverse()).toString()).not.toContain('sword');
    expect(log.redact('swordfish-1789')).toBe('[redacted]');
  });

  test('closing twice is the same closing', async () => {
    const { log } = store.open();

    const first = log.close();
    const second = log.close();

    expect(second).toBe(first);
    await first;
    log.markRestart();
    expect(log.finished).toBe(true);
  });

  test.each<[string, ReadOptions, string]>([
    ['a tail', { tail: 2 }, 'line 0098\nline 0099\n'],
    ['a page', { offset: 3, limit: 2 }, 'line 0003\nline 0004\n'],
    ['the rest from an offset', { since: 97 * lineBytes }, 'line 0097\nline 0098\nline 0099\n'],
    ['a page from an offset', { since: 50 * lineBytes, lines: 1 }, 'line 0050\n'],
    ['matches', { grep: '9$', tail: 2 }, 'line 0089\nline 0099\n'],
    ['matches with context', { grep: '98', context: 1 }, 'line 0097\nline 0098\nline 0099\n'],
  ])('%s is read: %j', (_name, options, text) => {
    const { log, print } = store.open();
    print(toLines(100));

    expect(readOutput(log, options)).toMatchObject({ text, droppedBytes: 0, problem: null });
  });

  describe('at its cap', () => {
    const [headBytes, tailBytes] = [1024, 4096];
    const count = 2_000;
    const gap = { from: headBytes, to: count * lineBytes - tailBytes };
    const openCapped = () => store.openCapped(toLines(count), { headBytes, tailBytes });

    test('head and tail keep their offsets around one gap', () => {
      const log = openCapped();

      const pieces = [...log.chunks(0)];

      expect(pieces.filter(({ type }) => type === 'gap')).toEqual([
        { type: 'gap', stream: 'stdout', ...gap, position: gap.from, droppedBytes: gap.to - gap.from },
      ]);
      const text = toLines(count);
      expect(bytesOf(pieces).toString()).toBe(text.slice(0, gap.from) + text.slice(gap.to));
      expect(droppedIn(log.chunks(gap.from + 100))).toBe(gap.to - gap.from - 100);
      expect(log.stats()).toMatchObject({ bytes: text.length, droppedBytes: gap.to - gap.from });
    });

    test('a read notes how much is missing between head and tail', () => {
      const { text, droppedBytes, to } = readOutput(openCapped());

      expect({ droppedBytes, to }).toEqual({ droppedBytes: gap.to - gap.from, to: count * lineBytes });
      expect(text).toMatch(/^line 0000\n/);
      expect(text).toMatch(
        new RegExp(`\\n\\[… ${gap.to - gap.from} bytes of stdout are no longer .*…\\]\\n`),
      );
      expect(text).toMatch(/line 1999\n$/);
    });

    test.each<[string, ReadOptions, string]>([
      ['a tail', { tail: 2 }, 'line 1998\nline 1999\n'],
      ['the first lines', { limit: 2 }, 'line 0000\nline 0001\n'],
      ['the rest from an offset', { since: 1_999 * lineBytes }, 'line 1999\n'],
      ['matches', { grep: '^line 199[89]$' }, 'line 1998\nline 1999\n'],
    ])('%s is read as without a gap: %j', (_name, options, text) => {
      expect(readOutput(openCapped(), options)).toMatchObject({ text, problem: null });
    });
  });
});
