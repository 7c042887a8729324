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
  return { stdout: String(streams.stdout.read() ?? ''), stderr: String(streams.stderr.read() ?? '') };
}

test.each([
  { ok: true, data: spoilt },
  { ok: false, error: spoilt },
] as const)('a terminal obeys no answer: $ok', (result) => {
  const { stdout, stderr } = print(result, true);

  expect((stdout + stderr).replace(/\x1b\[\d+m/g, '')).toMatch(/^(?:troupe: )?one two\n$/);
});

test('a pipe gets an answer as it is', () => {
  expect(print({ ok: true, data: spoilt }, false)).toEqual({ stdout: `${spoilt}\n`, stderr: '' });
});

test('later remarks go to stderr', () => {
  const remarks = ['the first has ended', 'the second\nhas ended'];

  const { stdout, stderr } = print({ ok: true, data: 'it is five', remarks }, false);

  expect(stdout).toBe('it is five\n');
  expect(stderr).toBe(
    'troupe: After its answer the agent said:\nthe first has ended\n' +
      'troupe: After its answer the agent said:\nthe second\nhas ended\n',
  );
});
