import { PassThrough, Writable } from 'node:stream';
import type { CliIo } from '../../src/cli/cli-io.ts';

/** A place to call a verb from: what it prints can be read, and what it reads is written by the test. */
export function fakeIo({
  columns,
  env = {},
  cwd = '/project',
}: {
  /** On a terminal so wide; left out: on none. */
  readonly columns?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
} = {}) {
  const terminal = columns === undefined ? { isTTY: false } : { isTTY: true, columns };
  const stdin = Object.assign(new PassThrough(), terminal);
  const [stdout, stderr] = [createSink(), createSink()];
  for (const { stream } of [stdout, stderr]) Object.assign(stream, terminal);
  const streams = { stdin, stdout: stdout.stream, stderr: stderr.stream };
  return {
    io: { ...streams, env: { NO_COLOR: '1', ...env }, cwd } as unknown as CliIo,
    type: (text: string) => void stdin.write(text),
    endInput: (text = '') => void stdin.end(text),
    stdout: () => stdout.bytes().toString(),
    stdoutBytes: stdout.bytes,
    stderr: () => stderr.bytes().toString(),
  };
}

function createSink() {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write: (chunk, _, done) => {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, bytes: () => Buffer.concat(chunks) };
}
