import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import type { CliIo } from '../../src/cli/cli-io.ts';
import { printResult } from '../../src/cli/verbs/exec/run-exec.ts';

const spoilt = 'one \x1b]0;title\x07\x1b[2J\x9b31mtwo';

/** Prints on streams that are a terminal, or are none. @returns what was written. */
function print(result: Parameters<typeof printResult>[0], isTTY: boolean) {
  const streams = { stdout: new PassThrough(), stderr: new PassThrough() };
  const [stdout, stderr] = [streams.stdout, streams.stderr].map((stream) => Object.assign(stream, { isTTY }));
  printResult(result, { format: 'text', io: { stdout, stderr } as unknown as CliIo });
  return [streams.stdout, streams.stderr].map((stream) => String(stream.read() ?? '')).join('');
}

test.each([
  { ok: true, data: spoilt },
  { ok: false, error: spoilt },
] as const)('a terminal obeys no answer: $ok', (result) => {
  const written = print(result, true);

  expect(written.replace(/\x1b\[\d+m/g, '')).toMatch(/^(?:troupe: )?one two\n$/);
});

test('a pipe gets an answer as it is', () => {
  expect(print({ ok: true, data: spoilt }, false)).toBe(`${spoilt}\n`);
});
