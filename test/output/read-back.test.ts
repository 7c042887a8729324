import { rmSync } from 'node:fs';
import { afterAll, expect, test } from 'vitest';
import { iterateLog } from '../../src/output/follow-log.ts';
import type { OutputPiece } from '../../src/output/output-chunk.ts';
import type { OutputLog } from '../../src/output/output-log.ts';
import { tempDir } from '../support/os.ts';
import { createTestLog } from './arrange.ts';

const directory = tempDir();
afterAll(directory.remove);

/** Longer than memory, in two streams; each line says what comes before it. */
async function writeMuch(log: OutputLog, { lines = 20_000 }: { lines?: number } = {}): Promise<string> {
  let written = '';
  for (let line = 0; line < lines; line += 1) {
    const stream = line % 97 < 60 ? 'stdout' : 'stderr';
    const text = `${stream} ${String(line).padStart(80, '.')}\n`;
    written += text;
    log.write(stream, Buffer.from(text));
    if (line % 500 === 0) await log.flush();
  }
  log.markEnd();
  await log.flush();
  log.finish();
  return written;
}

function createSmallLog(name: string, maxLogBytes = 100_000_000): { log: OutputLog; path: string } {
  const path = directory.file(`${name}.log`);
  const logFile = { path, maxBytes: maxLogBytes };
  return { log: createTestLog({ maxBufferBytes: 32 * 1024, headBytes: 1024, logFile }), path };
}

async function collect(pieces: AsyncIterable<OutputPiece>): Promise<OutputPiece[]> {
  const seen: OutputPiece[] = [];
  for await (const piece of pieces) seen.push(piece);
  return seen;
}

function textOf(pieces: readonly OutputPiece[]): string {
  return pieces
    .map((piece) => (piece.type === 'chunk' ? Buffer.from(piece.bytes).toString() : '<gap>'))
    .join('');
}

test('a slow reader gets what memory has dropped', async () => {
  const { log } = createSmallLog('slow');
  const pieces = iterateLog(log);
  const written = await writeMuch(log);

  const seen = await collect(pieces);

  expect(textOf(seen) === written).toBe(true);
  await log.close();
});

test('output read back keeps its stream', async () => {
  const { log } = createSmallLog('streams');
  await writeMuch(log);
  await log.close();

  const both = await collect(iterateLog(log));
  const stderr = await collect(iterateLog(log, { stream: 'stderr' }));

  const lines = textOf(both.filter(({ stream }) => stream === 'stderr'))
    .split('\n')
    .slice(0, -1);
  expect(lines.every((line) => line.startsWith('stderr '))).toBe(true);
  expect(textOf(stderr)).toBe(`${lines.join('\n')}\n`);
});

test('a log at its cap leaves one gap', async () => {
  const { log } = createSmallLog('capped', 400_000);
  const written = await writeMuch(log);

  const seen = await collect(iterateLog(log, { from: 0 }));

  const shown = textOf(seen).split('<gap>');
  const gaps = seen.flatMap((piece) => (piece.type === 'gap' ? [piece.droppedBytes] : []));
  const shownBytes = shown.reduce((sum, text) => sum + text.length, 0);
  expect(shownBytes).toBeGreaterThan(32 * 1024);
  expect(shownBytes + gaps.reduce((sum, bytes) => sum + bytes, 0)).toBe(written.length);
  expect(written.startsWith(shown[0] ?? '?')).toBe(true);
  expect(written.endsWith(shown.at(-1) ?? '?')).toBe(true);
  expect(textOf(seen)).not.toContain('troupe:');
  await log.close();
});

test('a log that was removed leaves what memory has', async () => {
  const { log, path } = createSmallLog('removed');
  const written = await writeMuch(log);
  rmSync(path);

  const seen = await collect(iterateLog(log));

  const bytes = seen.map((piece) => (piece.type === 'gap' ? piece.droppedBytes : piece.bytes.byteLength));
  expect(bytes.reduce((sum, each) => sum + each, 0)).toBe(written.length);
  const last = textOf(seen).split('<gap>').at(-1) ?? '';
  expect(last.length).toBeGreaterThan(20 * 1024);
  expect(written.endsWith(last)).toBe(true);
  await log.close();
});
