import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { expect, test } from 'vitest';
import type { OutputPiece, ProcessHandle } from '../../src/index.ts';
import { waitUntil } from '../support/os.ts';
import { openRealHarness } from '../support/real.ts';

const MIB = 1024 * 1024;

function pieces(handle: ProcessHandle): OutputPiece[] {
  const found: OutputPiece[] = [];
  handle.output$.subscribe((piece) => found.push(piece)).unsubscribe();
  return found;
}

function bytesIn(list: readonly OutputPiece[]): number {
  return list.reduce((sum, piece) => sum + (piece.type === 'chunk' ? piece.bytes.byteLength : 0), 0);
}

function droppedIn(list: readonly OutputPiece[]): number {
  return list.reduce((sum, piece) => sum + (piece.type === 'gap' ? piece.droppedBytes : 0), 0);
}

function logOf(handle: ProcessHandle): string {
  return readFileSync(handle.view().output.logFile ?? '', 'utf8');
}

test('all that was printed before the exit is there', { timeout: 60_000 }, async () => {
  await using stage = openRealHarness({ maxParallelTools: 5 });
  const command = 'head -c 300000 /dev/zero | tr "\\0" x';

  const handles = Array.from({ length: 50 }, () => stage.supervisor.start({ command }));
  await Promise.all(
    handles.map(async (handle) => {
      const view = await handle.ended;
      expect(view.output).toMatchObject({ bytes: 300_000, droppedBytes: 0, degraded: null });
      expect(statSync(view.output.logFile ?? '').size).toBe(300_000);
    }),
  );

  for (const handle of handles) expect(handle.read({ maxBytes: MIB }).text).toBe('x'.repeat(300_000));
});

test('a promotion keeps every byte', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({
    command: 'echo before; until test -e go; do sleep 0.1; done; echo after',
    timeout: 200,
  });

  const result = await handle.result();
  await waitUntil(() => handle.read().text === 'before\n');
  await waitUntil(() => existsSync(handle.view().output.logFile ?? '') && logOf(handle) === 'before\n');
  writeFileSync(stage.file('go'), '');
  await handle.ended;

  expect(result).toMatchObject({ type: 'backgrounded', process: { id: handle.id } });
  expect(handle.read()).toMatchObject({ text: 'before\nafter\n', ended: true });
  expect(logOf(handle)).toBe('before\nafter\n');
});

test('an endless line is bounded, and counted to the byte', { timeout: 120_000 }, async () => {
  await using stage = openRealHarness({ stateDirectory: false, timeout: 0 });
  const total = 1024 * MIB;
  const delay = monitorEventLoopDelay({ resolution: 10 });
  globalThis.gc?.();
  const before = process.memoryUsage();
  let peak = 0;
  delay.enable();
  const handle = stage.supervisor.start({
    command: ['head', '-c', String(total), '/dev/zero'],
    maxBufferBytes: MIB,
  });
  const look = setInterval(() => {
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    peak = Math.max(peak, heapUsed + arrayBuffers - before.heapUsed - before.arrayBuffers);
  }, 20);

  const view = await handle.ended;
  clearInterval(look);
  delay.disable();

  const kept = pieces(handle);
  expect(view.output).toMatchObject({ bytes: total, droppedBytes: total - bytesIn(kept), lines: 0 });
  expect(bytesIn(kept)).toBe(MIB);
  expect(droppedIn(kept)).toBe(total - MIB);
  expect(peak).toBeLessThan(200 * MIB);
  // The delay is measured from the time it was to wake at: 10 ms are its own.
  expect((delay.percentile(50) - 10e6) / 1e6).toBeLessThan(50);
});

test('a flood of lines keeps head and tail', { timeout: 60_000 }, async () => {
  await using stage = openRealHarness({
    timeout: 0,
    maxLogBytes: MIB,
    maxBufferBytes: 256 * 1024,
    headBytes: 1024,
  });
  const lines = 3_000_000;
  const handle = stage.supervisor.start({ command: `seq 1 ${lines}` });

  const view = await handle.ended;

  const kept = pieces(handle);
  const text = handle.read({ maxBytes: 4_000 }).text;
  expect(view.output.lines).toBe(lines);
  expect(view.output.bytes).toBe(bytesIn(kept) + view.output.droppedBytes);
  expect(text.startsWith('1\n2\n3\n')).toBe(true);
  expect(text.endsWith(`\n${lines}\n`)).toBe(true);
  expect(statSync(view.output.logFile ?? '').size).toBeLessThanOrEqual(MIB);
  expect(logOf(handle).startsWith('1\n2\n3\n')).toBe(true);
  expect(logOf(handle).endsWith(`\n${lines}\n`)).toBe(true);
  expect(logOf(handle)).toMatch(/\[troupe: .*\d+ bytes/);
});

test('characters split over chunks stay whole', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({
    command: String.raw`printf 'a\360\237'; sleep 0.05; printf '\230\200b\r'; sleep 0.05; printf '\n\033[3'; sleep 0.05; printf '1mred\033[0m\n'`,
  });
  const seen: string[] = [];
  handle.lines$.subscribe((line) => seen.push(line.type === 'line' ? line.text : 'gap'));

  await handle.ended;

  expect(handle.read().text).toBe('a😀b\nred\n');
  expect(seen).toEqual(['a😀b', '\u001b[31mred\u001b[0m']);
});

test('invalid bytes and NULs crash nothing', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({ command: String.raw`printf 'ok \377\376 \0 end and more text\n'` });

  const view = await handle.ended;

  expect(view.output.bytes).toBe(26);
  expect(handle.read({ format: 'raw' }).text).toBe('ok \ufffd\ufffd \0 end and more text\n');
});

test('binary output is summarised, and kept raw', async () => {
  await using stage = openRealHarness({ maxBufferBytes: 16 * MIB });
  const handle = stage.supervisor.start({ command: ['head', '-c', String(10 * MIB), '/dev/urandom'] });

  const view = await handle.ended;

  expect(handle.read().text).toMatch(/binary.*10\.0 MiB/);
  expect(handle.read().text.length).toBeLessThan(300);
  expect(bytesIn(pieces(handle))).toBe(10 * MIB);
  expect(statSync(view.output.logFile ?? '').size).toBe(10 * MIB);
});

test('reading on and on loses and repeats nothing', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({
    command: 'for n in $(seq 1 3000); do echo "line $n"; case $n in *7) echo;; esac; done; printf "the end"',
  });
  const reader = handle.reader('me');
  let text = '';
  for (let isOver = false; !isOver; ) {
    const read = reader.read({ format: 'raw', lines: 37 });
    text += read.text;
    reader.acknowledge(read);
    isOver = read.ended;
    if (read.text === '') await new Promise((resolve) => setImmediate(resolve));
  }

  const expected = Array.from(
    { length: 3_000 },
    (_, index) => `line ${index + 1}\n${index % 10 === 6 ? '\n' : ''}`,
  );
  expect(text).toBe(`${expected.join('')}the end`);
});

test('a prompt without newline is returned at once', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({
    command: 'printf "Name? "; read name; echo "Hello $name"',
    stdin: 'pipe',
  });
  const reader = handle.reader('me');

  const prompt = await waitUntil(() => {
    const read = reader.read();
    return read.text === '' ? null : read;
  });
  reader.acknowledge(prompt);
  await handle.writeLine('Ada');
  await handle.ended;

  expect(prompt).toMatchObject({ text: 'Name? ', ended: false });
  expect(reader.read()).toMatchObject({ text: 'Hello Ada\n', ended: true });
});

test('two readers have cursors of their own', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({ command: 'echo one; echo two' });
  await handle.ended;
  const [first, second] = [handle.reader('first'), handle.reader('second')];

  const lost = first.read();
  const again = first.read();
  first.acknowledge(again);

  expect(lost.text).toBe('one\ntwo\n');
  expect(again.text).toBe(lost.text);
  expect(first.read()).toMatchObject({ text: '', ended: true });
  expect(second.read().text).toBe('one\ntwo\n');
  expect(handle.reader('first')).toBe(first);
});

test('subscribers that throw or sleep do not delay the process', async () => {
  await using stage = openRealHarness({ maxBufferBytes: 256 * 1024, headBytes: 1024, maxLogBytes: 1 * MIB });
  const total = 5 * MIB;
  const handle = stage.supervisor.start({ command: `head -c ${total} /dev/zero | tr "\\0" x` });
  handle.output$.subscribe(() => {
    throw new Error('a subscriber of a test');
  });
  let live = 0;
  handle.output$.subscribe((piece) => {
    if (piece.type === 'chunk') live += piece.bytes.byteLength;
  });
  const slow: OutputPiece[] = [];
  const iterating = (async () => {
    for await (const piece of handle.output()) {
      slow.push(piece);
      await handle.ended;
    }
  })();

  await handle.ended;
  await iterating;

  expect(live).toBe(total);
  expect(slow.some(({ type }) => type === 'gap')).toBe(true);
  expect(bytesIn(slow) + droppedIn(slow)).toBe(total);
  expect(stage.count('process.faulted', handle.id)).toBe(1);
});

test('fifty thousand frames are a short reply', async () => {
  await using stage = openRealHarness();
  const frames = 'BEGIN { for (i = 1; i <= 50000; i++) printf "\\rprogress %d of 50000", i }';
  const handle = stage.supervisor.start({ command: ['awk', frames] });
  await handle.ended;

  const { text } = handle.read();

  expect(text).toContain('progress 50000 of 50000');
  expect(text.length).toBeLessThan(500);
});

test('a log that cannot be written is reported and the process continues', async () => {
  await using stage = openRealHarness({ stateDirectory: 'state' });
  writeFileSync(stage.file('state'), 'a file where a directory should be');

  const handle = stage.supervisor.start({ command: 'echo fine' });
  const view = await handle.ended;

  expect(view).toMatchObject({
    status: 'completed',
    output: { bytes: 5, degraded: expect.stringMatching(/log file/) },
  });
  expect(handle.read().text).toBe('fine\n');
});

test('a removed log is reported and the process continues', async () => {
  await using stage = openRealHarness();
  const handle = stage.supervisor.start({
    command: 'echo before; until test -e go; do sleep 0.1; done; echo after',
    background: true,
  });
  const log = await waitUntil(() => handle.view().output.logFile);
  await waitUntil(() => existsSync(log) && logOf(handle) === 'before\n');

  rmSync(log);
  writeFileSync(stage.file('go'), '');
  const view = await handle.ended;

  expect(view).toMatchObject({
    status: 'completed',
    output: { degraded: expect.stringContaining('removed') },
  });
  expect(handle.read().text).toBe('before\nafter\n');
});

test('a secret split over chunks appears nowhere', async () => {
  await using stage = openRealHarness();
  const secret = 's3cr3t-0f-the-house';
  const handle = stage.supervisor.start({
    command:
      'printf %s "$TOKEN" | head -c 10; sleep 0.05; printf %s "$TOKEN" | tail -c +11; echo; echo "$TOKEN" >&2; echo "$TOKEN"',
    secrets: { TOKEN: secret },
    metadata: { note: 'kept' },
  });
  const views: unknown[] = [];
  handle.view$.subscribe((view) => views.push(view));

  const result = await handle.result();

  const log = logOf(handle);
  const said = JSON.stringify([result, views, stage.events, handle.timeline(), handle.read(), log]);
  expect(said).not.toContain(secret);
  expect(log.match(/\[redacted\]/g)).toHaveLength(3);
});

test('a secret in a command is not shown', async () => {
  await using stage = openRealHarness();
  const secret = 's3cr3t-0f-the-house';
  const handle = stage.supervisor.start({
    command: ['echo', `--token=${secret}`],
    secrets: { TOKEN: secret },
  });

  const view = await handle.ended;

  expect(JSON.stringify([view, stage.events, handle.read()])).not.toContain(secret);
  expect(view.commandLine).toContain('[redacted]');
  expect(view.output.bytes).toBeGreaterThan(0);
});
