import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { threadCpuMs } from '../../src/output/grep.ts';
import type { OutputLog } from '../../src/output/output-log.ts';
import { readOutput } from '../../src/output/read-output.ts';
import { createReader, createReaders } from '../../src/output/reader.ts';
import { anyCuts, anyWrites, createTestLog } from './arrange.ts';

const everything = 1024 * 1024 * 1024;

function logOf(text: string): OutputLog {
  const log = createTestLog();
  log.write('stdout', Buffer.from(text));
  return log;
}

/** A line break before whatever gap may follow, so that the line about it adds nothing of its own. */
function withLineBreaks(bytes: Buffer): Uint8Array {
  return bytes.map(() => 10);
}

describe('reading', () => {
  test('acknowledged reads give every character once', () => {
    const text = 'Grüße 🎉 aus Köln\r\n日本語\u0000 \u001b[31mrot\u001b[0m end';
    fc.assert(
      fc.property(anyCuts(Buffer.from(text.repeat(3))), fc.boolean(), (pieces, isNumeric) => {
        const log = createTestLog();
        const reader = createReader(log);
        let seen = '';
        let to = 0;

        for (const piece of pieces) {
          log.write('stdout', piece);
          const read = reader.read({ format: 'raw', ...(isNumeric ? { since: to } : {}) });
          reader.acknowledge(read);
          to = read.to;
          seen += read.text;
        }

        expect(seen).toBe(text.repeat(3));
      }),
    );
  });

  test('plain reads never show a divided escape sequence', () => {
    const text =
      '\u001b[1;31mred\u001b[0m \u001b]8;;http://a/b\u0007link\u001b]8;;\u0007 ünd\u001b[2m dim\u001b[22m\n';
    fc.assert(
      fc.property(anyCuts(Buffer.from(text)), (pieces) => {
        const log = createTestLog();
        const reader = createReader(log);
        let seen = '';

        for (const piece of pieces) {
          log.write('stdout', piece);
          const read = reader.read();
          reader.acknowledge(read);
          seen += read.text;
        }

        expect(seen).toBe('red link ünd dim\n');
      }),
    );
  });

  test('reads and gaps together count every byte', () => {
    fc.assert(
      fc.property(anyWrites(1_500), fc.integer({ min: 1, max: 7 }), (writes, every) => {
        const log = createTestLog({ maxBufferBytes: 1024, headBytes: 100 });
        const reader = createReader(log);
        let counted = 0;

        for (const [index, { stream, bytes }] of writes.entries()) {
          log.write(stream, withLineBreaks(bytes));
          if (index % every !== 0 && index !== writes.length - 1) continue;
          const read = reader.read({ format: 'raw', maxBytes: everything });
          reader.acknowledge(read);
          counted +=
            read.droppedBytes +
            read.text.replace(/\[… \d+ bytes of \w+ are no longer kept …\]\n/g, '').length;
        }

        expect(counted).toBe(log.bytes);
      }),
    );
  });

  test('a read that was not acknowledged is read again', () => {
    const log = logOf('one\n');
    const reader = createReader(log);

    const lost = reader.read();
    log.write('stdout', Buffer.from('two\n'));
    const again = reader.read();

    expect(lost.text).toBe('one\n');
    expect(again.text).toBe('one\ntwo\n');
  });

  test('readers by name have cursors of their own', () => {
    const log = logOf('one\n');
    const readers = createReaders(log);
    readers.get('a').acknowledge(readers.get('a').read());

    log.write('stdout', Buffer.from('two\n'));

    expect(readers.get('a').read().text).toBe('two\n');
    expect(readers.get('b').read().text).toBe('one\ntwo\n');
  });

  test('reading one stream passes over no other', () => {
    const log = logOf('out\n');
    log.write('stderr', Buffer.from('err\n'));
    const reader = createReader(log);

    reader.acknowledge(reader.read({ stream: 'stdout' }));

    expect(reader.read({ stream: 'stdout' }).text).toBe('');
    expect(reader.read().text).toBe('err\n');
  });

  test('a late acknowledgement moves nothing back', () => {
    const log = logOf('one\n');
    const reader = createReader(log);
    const first = reader.read();
    log.write('stdout', Buffer.from('two\n'));
    reader.acknowledge(reader.read());

    reader.acknowledge(first);

    expect(reader.read().text).toBe('');
  });

  test('a prompt without a newline is returned', () => {
    const log = logOf('Continue? [y/N] ');

    const read = readOutput(log);

    expect(read.text).toBe('Continue? [y/N] ');
    expect(read.ended).toBe(false);
  });

  test('a read without new output is an empty text', () => {
    const log = logOf('all\n');

    const read = readOutput(log, { since: log.bytes });

    expect(read).toMatchObject({
      text: '',
      from: 4,
      to: 4,
      droppedBytes: 0,
      truncated: false,
      problem: null,
    });
  });

  test('tail gives the last lines, an unfinished one too', () => {
    const whole = logOf('1\n2\n\n4\n5\n');
    const open = logOf('1\n2\n\n4\n5');

    expect(readOutput(whole, { tail: 3 }).text).toBe('\n4\n5\n');
    expect(readOutput(open, { tail: 3 }).text).toBe('\n4\n5');
    expect(readOutput(whole, { tail: 100 }).text).toBe('1\n2\n\n4\n5\n');
    expect(readOutput(whole, { tail: 0 }).text).toBe('');
  });

  test('lines page through without loss', () => {
    const log = logOf(Array.from({ length: 25 }, (_, index) => `line ${index}\n`).join(''));
    const reader = createReader(log);
    const texts: string[] = [];

    for (let page = 0; page < 4; page += 1) {
      const read = reader.read({ lines: 10 });
      reader.acknowledge(read);
      texts.push(read.text);
    }

    expect(texts.map((text) => text.split('\n').length - 1)).toEqual([10, 10, 5, 0]);
    expect(texts.join('')).toBe(readOutput(log).text);
  });

  test('offset and limit choose lines', () => {
    const log = logOf('0\n1\n2\n3\n4\n');

    const read = readOutput(log, { offset: 1, limit: 2 });

    expect(read.text).toBe('1\n2\n');
    expect(read.to).toBe(6);
  });

  test('a long reply keeps head and tail and says so', () => {
    const log = logOf(Array.from({ length: 50_000 }, (_, index) => `line ${index}\n`).join(''));

    const read = readOutput(log, { maxBytes: 1000 });

    expect(read.truncated).toBe(true);
    expect(read.text.startsWith('line 0\n')).toBe(true);
    expect(read.text.endsWith('line 49999\n')).toBe(true);
    const left = Number(/\[… (\d+) bytes left out …\]\n/.exec(read.text)?.[1]);
    const shown = Buffer.byteLength(read.text.replace(/\[… \d+ bytes left out …\]\n/, ''));
    expect(left + shown).toBe(log.bytes);
    expect(shown).toBeLessThanOrEqual(1000);
  });

  test('dropped bytes are counted and marked in place', () => {
    const log = createTestLog({ maxBufferBytes: 1024, headBytes: 100 });

    for (let count = 0; count < 100; count += 1) log.write('stdout', Buffer.from(`${'x'.repeat(99)}\n`));

    const read = readOutput(log);
    expect(read.droppedBytes).toBe(10_000 - 1024);
    expect(read.text).toContain(`[… ${10_000 - 1024} bytes of stdout are no longer kept …]`);
  });

  test('fifty thousand progress frames become one short line', () => {
    const log = createTestLog();

    for (let count = 1; count <= 50_000; count += 1) {
      log.write('stderr', Buffer.from(`\r\u001b[2Kfetching ${count}/50000 [${'#'.repeat(count % 40)}]`));
    }

    const { text } = readOutput(log);
    expect(text.length).toBeLessThan(400);
    expect(text).toContain('fetching 50000/50000');
  });

  test('binary output is summarised and stays readable raw', () => {
    const log = createTestLog();
    const noise = Buffer.from(Array.from({ length: 64 * 1024 }, (_, index) => (index * 2654435761) >>> 24));
    for (let count = 0; count < 160; count += 1) log.write('stdout', noise);
    log.write('stderr', Buffer.from('done\n'));

    const read = readOutput(log);

    expect(read.text).toBe('done\n[stdout: binary, 10.0 MiB]\n');
  });

  test('grep gives matching lines with their surroundings', () => {
    const log = logOf('a\nb\n\u001b[31merror\u001b[0m: x\nd\ne\nf\ng\nerror: y\n');

    const bare = readOutput(log, { grep: '^error' });
    const around = readOutput(log, { grep: 'ERROR', ignoreCase: true, context: 1 });

    expect(bare.text).toBe('error: x\nerror: y\n');
    expect(around.text).toBe('b\nerror: x\nd\n--\ng\nerror: y\n');
  });

  test('an invalid pattern is a readable problem', () => {
    const reader = createReader(logOf('text\n'));

    const read = reader.read({ grep: '(' });
    reader.acknowledge(read);

    expect(read.problem).toContain('"(" is not a regular expression');
    expect(reader.read().text).toBe('text\n');
  });

  test('a pattern too large is a readable problem', () => {
    const log = logOf('text\n');

    const read = readOutput(log, { grep: 'x'.repeat(100_000) });

    expect(read.problem).toContain('cannot be searched for: Regular expression too large');
    expect(read.problem?.length).toBeLessThan(1000);
    expect(read.text).toBe('');
  });

  test('plain text puts no secret together again', () => {
    const log = createTestLog({ secrets: ['hunter2'] });
    log.write(
      'stdout',
      Buffer.from('hunX\bter2\nhun\u001b[0mter2!\n\u001b[01;31mhunt\u001b[m\u001b[Ker2?\n'),
    );

    const read = readOutput(log);
    const found = readOutput(log, { grep: 'hunter' });
    const cut = readOutput(log, { maxBytes: 40 });

    expect(read.text).toBe('[redacted]\n[redacted]!\n[redacted]?\n');
    expect(found.text).toBe('');
    expect(cut.text).not.toContain('hun');
  });

  test('a catastrophic pattern ends as a problem', () => {
    const log = logOf(`${'a'.repeat(200)}!\n`);

    const read = readOutput(log, { grep: '(a+)+$' });

    expect(read.problem).toContain('takes too long');
    expect(read.text).toBe('');
  });

  test('an unfinished character is shown only at the end', () => {
    const log = createTestLog();
    log.write('stdout', Buffer.from('ok €').subarray(0, 4));

    const before = readOutput(log);
    log.markEnd();
    const after = readOutput(log);

    expect(before.text).toBe('ok ');
    expect(after).toMatchObject({ text: 'ok \uFFFD', ended: true });
    expect(readOutput(log, { since: after.to }).text).toBe('');
  });

  test('invalid bytes and NUL crash nothing', () => {
    const log = logOf('a');
    log.write('stdout', Buffer.from([0xff, 0x62, 0x00, 0xc3, 0x28]));

    const read = readOutput(log, { format: 'raw' });

    expect(read.text).toBe('a\uFFFDb\u0000\uFFFD(');
  });

  test('polling does not look at what is kept', () => {
    const log = createTestLog({ maxBufferBytes: 8 * 1024 * 1024 });
    for (let count = 0; count < 200_000; count += 1)
      log.write('stdout', Buffer.from(`some line of output ${count}\n`));
    const reader = createReader(log);
    reader.acknowledge(reader.read({ tail: 1 }));
    const small = createTestLog();
    const smallReader = createReader(small);
    const costOf = (measured: OutputLog, by: typeof reader) => {
      const beganMs = threadCpuMs();
      for (let count = 0; count < 500; count += 1) {
        measured.write('stdout', Buffer.from('next\n'));
        const read = by.read();
        by.acknowledge(read);
        expect(read.text).toBe('next\n');
      }
      return threadCpuMs() - beganMs;
    };
    costOf(small, smallReader);

    const smallMs = costOf(small, smallReader);
    const largeMs = costOf(log, reader);

    expect(largeMs).toBeLessThan(smallMs * 10 + 50);
  });
});

test.each([
  [{ tial: 5 }, 'read: there is no option "tial" (given: 5). Did you mean "tail"?'],
  [{ tail: -1 }, 'read: "tail" is -1; expected at least 0.'],
  [{ stream: 'stdrr' }, 'the nearest is "stderr"'],
  [{ since: 'x' }, 'expected an offset, the positions of a read, or "last"'],
  [{ maxBytes: Number.NaN }, 'read: "maxBytes" is NaN'],
])('a wrong option is named: %j', (options, words) => {
  const log = createTestLog();

  const read = () => readOutput(log, options as never);

  expect(read).toThrow(words);
});
