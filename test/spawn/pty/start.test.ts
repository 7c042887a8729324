import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { createRealClock } from '../../../src/clock/real-clock.ts';
import type { SpawnRequest, ToldFact, Work } from '../../../src/spawn/backend.ts';
import { createPipeBackend } from '../../../src/spawn/pipe/pipe-backend.ts';
import { createCurrentTable } from '../../../src/spawn/tree/current-table.ts';
import { createTreeRegistry } from '../../../src/spawn/tree/tree-registry.ts';
import { tempDir, waitUntil } from '../../support/os.ts';
import { createMemoryLog } from '../../support/output-logs.ts';
import { createStage, shell } from './arrange.ts';

/** Returns the failure of the pipe backend for the same request. */
async function inPipes(request: SpawnRequest): Promise<ToldFact> {
  const clock = createRealClock();
  const log = createMemoryLog({ clock, maxBufferBytes: 1024, headBytes: 64 });
  const backend = createPipeBackend({
    table: createCurrentTable(),
    trees: createTreeRegistry({ prepare: () => {}, add: () => {}, remove: () => {}, exempt: () => {} }),
    reportError: () => {},
  });
  const facts: ToldFact[] = [];
  const port = { request, output: log, clock, keepScreen: () => {}, onCommand: () => {} };
  const cancel = backend.run({ ...port, tell: (fact) => facts.push(fact) });
  const fact = await waitUntil(() => facts[0]);
  cancel();
  backend.close?.();
  return fact;
}

function arrange() {
  const directory = tempDir();
  onTestFinished(() => directory.remove());
  const write = (name: string, text: string, mode: number) => {
    writeFileSync(directory.file(name), text);
    chmodSync(directory.file(name), mode);
    return directory.file(name);
  };
  return {
    directory,
    notExecutable: write('plain', 'echo hello\n', 0o644),
    withoutInterpreter: write('lost', '#!/no/such/interpreter\n', 0o755),
    script: write('script', '#! /bin/sh\necho "I am $0 $1"\n', 0o755),
    bare: write('bare', 'echo bare\n', 0o755),
  };
}

const argv = (file: string, ...args: string[]): Work => ({ type: 'argv', file, args });

test('a failed start has the same message as with pipes', async () => {
  const files = arrange();
  const { play } = createStage();
  mkdirSync(files.directory.file('a file'), { recursive: true });
  const requests: [Work, Partial<SpawnRequest>][] = [
    [argv('no-such-program-anywhere'), {}],
    [argv('./missing'), { cwd: files.directory.path }],
    [argv(files.notExecutable), {}],
    [argv(files.withoutInterpreter), {}],
    [argv(files.directory.path), {}],
    [argv('true'), { cwd: '/no/such/directory' }],
    [argv('true'), { cwd: files.script }],
    [argv('true', 'x'.repeat(200 * 1024)), {}],
    [argv('true', ...Array(40).fill('x'.repeat(100 * 1024))), {}],
    [{ type: 'shell', shell: '/no/such/shell', script: 'true' }, {}],
    [argv('true'), { env: { PATH: '/nowhere' } }],
  ];

  for (const [work, changes] of requests) {
    const run = play(work, changes);
    const failed = await run.fact('process.spawnFailed');

    expect(failed).toEqual(await inPipes(run.request));
    expect(run.facts).toEqual([failed]);
  }
});

test('a function or a NUL byte cannot be started', async () => {
  const { play } = createStage();

  const runs = [play({ type: 'function', run: async () => {} }), play(argv('echo', 'a\0b'))];

  for (const run of runs) {
    expect((await run.fact('process.spawnFailed')).cause).toBe('other');
    expect(run.facts).toHaveLength(1);
  }
});

test('a program is found as execvp finds it', async () => {
  const { script, bare, directory } = arrange();
  const { play } = createStage();

  const runs = [
    play(argv(script, 'one')),
    play(argv('./script', 'two'), { cwd: directory.path }),
    play(argv('script', 'three'), { env: { PATH: `/nowhere:${directory.path}` } }),
    play(argv(bare)),
  ];
  for (const run of runs) await run.fact('output.ended');

  const [one, two, three, four] = runs.map((run) => run.text());
  expect(one).toBe(`I am ${script} one\r\n`);
  expect(two).toBe('I am ./script two\r\n');
  expect(three).toBe(`I am ${directory.file('script')} three\r\n`);
  expect(four).toBe('bare\r\n');
});

test('arguments arrive unchanged', async () => {
  const { play } = createStage();
  const args = ['', 'two words', '-n', '"quoted"', "it's", '$HOME', '*', 'a\nb', 'é😀', '\\'];

  const run = play(argv('printf', '<%s>', ...args));
  await run.fact('output.ended');

  expect(run.text().replaceAll('\r\n', '\n')).toBe(args.map((arg) => `<${arg}>`).join(''));
});

test.each([{ COLUMNS: '7' }, { TERM: 'dumb' }])(
  'the environment gets TERM and nothing else: %j',
  async (env) => {
    const { play } = createStage();

    const run = play(argv('env', '-0'), { env });
    await run.fact('output.ended');

    const seen = Object.fromEntries(
      run
        .text()
        .split('\0')
        .filter((line) => line !== '')
        .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    expect(seen).toEqual({ TERM: 'xterm-256color', ...run.request.env });
  },
);

test('each command leads a session with its own terminal', async () => {
  const { play } = createStage();

  const runs = [1, 2].map(() => play(shell('ps -o pid=,pgid=,sid=,tpgid=,tty= -p $$; stty -a')));
  for (const run of runs) await run.fact('output.ended');

  const seen = await Promise.all(
    runs.map(async (run) => ({
      pid: (await run.fact('process.spawned')).pid,
      fields: run.text().trim().split(/\s+/).slice(0, 5),
    })),
  );
  for (const { pid, fields } of seen) expect(fields.slice(0, 4)).toEqual(Array(4).fill(`${pid}`));
  expect(seen[0]?.fields[4]).not.toBe(seen[1]?.fields[4]);
  // Backspace deletes a whole character.
  expect(runs[0]?.text()).toContain(' iutf8');
});

test('a command starts with no signal blocked or ignored', async () => {
  const { play } = createStage();

  const run = play(argv('grep', '-E', 'Sig(Blk|Ign)', '/proc/self/status'));
  await run.fact('output.ended');

  expect(run.text()).toBe('SigBlk:\t0000000000000000\r\nSigIgn:\t0000000000000000\r\n');
});
