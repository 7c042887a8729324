import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { isAlive, waitUntil } from '../../support/os.ts';
import { runSmoke, writeSmoke } from '../support/run-smoke.ts';

/** The programs come in a package for each platform; `bun` and `deno` only choose one, in scripts that do not run here. */
const platform = `linux-${process.arch === 'arm64' ? 'aarch64' : 'x64'}`;
const denoPlatform = `linux-${process.arch}-glibc`;

interface Runtime {
  /** Runs the program whose path follows. */
  readonly command: readonly [string, ...string[]];
  /** Checks that are refused, with the sentence. All others work. */
  readonly refused: Readonly<Record<string, RegExp>>;
}

const runtimes: Readonly<Record<string, Runtime>> = {
  Bun: {
    command: [find(`@oven/bun-${platform}`, 'bin/bun')],
    refused: {
      'streams opened by name': /\/dev\/stdout: No such device or address/,
      terminal: /Bun cannot read the terminals of "@lydell\/node-pty"/,
    },
  },
  Deno: {
    command: [find(`@deno/${denoPlatform}`, 'deno'), 'run', '--allow-all'],
    refused: {
      terminal: /Deno cannot read the terminals of "@lydell\/node-pty"/,
      worker: /Deno prints the output of a worker thread/,
      'failing worker': /Deno prints the output of a worker thread/,
      'kill of a worker': /Deno prints the output of a worker thread/,
    },
  },
};

function find(name: string, path: string): string {
  return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), path);
}

const program = writeSmoke(import.meta.dirname);

const guide = join(import.meta.dirname, 'guide.mjs');
const guideText = readFileSync(join(import.meta.dirname, '../../../docs/guides/runtimes.md'), 'utf8');
writeFileSync(guide, stripTypeScriptTypes(guideText.match(/^```ts run\n(.*?)^```$/ms)?.[1] ?? 'throw 1;'));

afterAll(() => {
  for (const file of [program, guide]) rmSync(file);
});

describe.each(Object.entries(runtimes))('%s', (_, { command, refused }) => {
  test('a program works as in Node, or is refused with a sentence', async () => {
    const results = await runSmoke([...command, program]);

    const { works = [], others = [] } = Object.groupBy(Object.entries(results), ([, result]) =>
      result === 'works' ? 'works' : 'others',
    );
    expect(works.length).toBeGreaterThan(15);
    expect(Object.fromEntries(others)).toEqual(
      Object.fromEntries(
        Object.entries(refused).map(([check, sentence]) => [
          check,
          expect.stringMatching(new RegExp(`^refused: [^]*${sentence.source}`)),
        ]),
      ),
    );
  });

  test('the program of the guide runs', async () => {
    const [file, ...args] = command;

    const { stdout, stderr } = await promisify(execFile)(file, [...args, guide]);

    expect([stdout, stderr]).toEqual(['', '']);
  });

  test('a program that is killed leaves no process behind', async () => {
    const [file, ...args] = command;
    const run = promisify(execFile)(file, [...args, join(import.meta.dirname, 'crash.mjs')]);

    const error: unknown = await run.then(
      () => null,
      (reason: unknown) => reason,
    );

    expect(error).toMatchObject({ signal: 'SIGKILL', stderr: '' });
    const { stdout } = error as { stdout: string };
    const pids = stdout.match(/\d+/g)?.map(Number) ?? [];
    expect(pids).toHaveLength(2);
    await waitUntil(() => !pids.some(isAlive), { withinMs: 10_000 });
  });
});
