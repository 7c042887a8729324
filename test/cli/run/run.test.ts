import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { isAlive, waitUntil } from '../../support/os.ts';
import { callProgram } from '../call-program.ts';
import {
  cleanEnvironment,
  mainFile,
  projectDir,
  runProgram,
  STARTED_WITHIN_MS,
  startProgram,
} from '../program.ts';

type Project = ReturnType<typeof projectDir>;

const run = (project: Project, args: readonly string[], input = '') =>
  runProgram(['run', ...args], { cwd: project.path, env: project.env, input });

const call = (project: Project, args: readonly string[], input = '') =>
  callProgram(['run', ...args], { cwd: project.path, input });

/** Starts it, and waits until it has printed `word`. */
async function startUntil(project: Project, { args, word }: { args: readonly string[]; word: string }) {
  const { child, ran } = startProgram(['run', ...args], { cwd: project.path, env: project.env });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  await waitUntil(() => printed.includes(word), { withinMs: STARTED_WITHIN_MS, what: `it prints ${word}` });
  return { child, ran };
}

test('run forwards each stream byte for byte', async () => {
  await using project = projectDir();

  const ran = await run(project, ['--', 'sh', '-c', 'printf "a\\rb\\033[1m"; printf "e\\n\\n" >&2; exit 7']);

  expect(ran).toEqual({ code: 7, stdout: 'a\rb\x1b[1m', stderr: 'e\n\n' });
  await project.gone();
});

test.each([
  ['an unknown program', ['nosuchprogram'], 127, 'The program "nosuchprogram" was not found on the PATH'],
  ['a time limit', ['--timeout', '200ms', '--on-timeout', 'kill', 'sleep', '30'], 124, 'limit timeout'],
  ['the longest time', ['--max-time', '200ms', 'sleep', '30'], 124, 'limit maxExecutionTime'],
])('run of %s reports exit code and reason', async (_name, args, code, words) => {
  await using project = projectDir();

  const ran = await run(project, args);

  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr).toContain(words);
  await project.gone();
});

test.each([
  ['a text that is no program', ['echo a | cat'], 127, 'To run it in the shell: --shell -- "echo a | cat"'],
  ['a file that is no program', ['/etc/passwd'], 126, '"/etc/passwd" may not be run'],
  ['a directory that is not there', ['-C', 'nowhere', 'true'], 125, 'nowhere" does not exist'],
  ['two words for the shell', ['-c', 'echo', 'a'], 2, 'put the command in quotes'],
  ['a variable without a value', ['-e', 'A', 'true'], 2, '--env is "A"; expected NAME=value.'],
  ['a span that is none', ['--max-time', 'soon', 'true'], 2, '--max-time is "soon"'],
])('run refuses %s with exit code and reason', async (_name, args, code, words) => {
  await using project = projectDir();

  const ran = await call(project, args);

  expect(ran).toMatchObject({ code, stdout: '' });
  expect(ran.stderr).toContain(words);
});

test('options after the command belong to the command', async () => {
  await using project = projectDir();

  const [plain, separated] = await Promise.all([
    call(project, ['echo', '--timeout', '-h']),
    call(project, ['--', 'echo', '--', '-c']),
  ]);

  expect([plain.stdout, separated.stdout]).toEqual(['--timeout -h\n', '-- -c\n']);
});

test('run uses the environment and directory of the caller', async () => {
  await using project = projectDir();
  const ran = await runProgram(['run', '-e', 'OWN=2', '-c', 'echo $SOME_API_KEY $OWN $PAGER; pwd'], {
    cwd: project.path,
    env: { ...project.env, SOME_API_KEY: 'key', PAGER: 'less' },
  });

  expect(ran.stdout).toBe(`key 2 less\n${project.path}\n`);
});

test('run forwards stdin up to its end', async () => {
  await using project = projectDir();

  const ran = await run(project, ['wc', '-c'], 'x'.repeat(300_000));

  expect(ran.stdout.trim()).toBe('300000');
});

test('a command that ignores its stdin ends normally', async () => {
  await using project = projectDir();

  const ran = await run(project, ['--', 'sh', '-c', 'exec 0<&-; sleep 0.2; exit 3'], 'x'.repeat(300_000));

  expect(ran).toEqual({ code: 3, stdout: '', stderr: '' });
});

test('stdin from /dev/null reaches the command as end-of-file', async () => {
  await using project = projectDir();
  const nothing = openSync('/dev/null', 'r');
  const child = spawn(process.execPath, [mainFile, 'run', '--', 'sh', '-c', 'test -c /dev/stdin'], {
    cwd: project.path,
    env: cleanEnvironment(project.env),
    stdio: [nothing, 'ignore', 'ignore'],
  });
  closeSync(nothing);

  const [code] = await once(child, 'close');

  expect(code).toBe(0);
});

test('a slow reader slows the command and loses nothing', async () => {
  await using project = projectDir();
  const size = 20_000_000;
  const args = ['--', 'sh', '-c', `head -c ${size} /dev/urandom | tee all`];
  const child = spawn(process.execPath, [mainFile, 'run', ...args], {
    cwd: project.path,
    env: cleanEnvironment(project.env),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of child.stdout) {
    // Slower than anything could be written, at first.
    if (bytes < 1_000_000) await setTimeout(20);
    bytes += chunk.length;
    hash.update(chunk);
  }

  const all = readFileSync(project.file('all'));
  expect(bytes).toBe(size);
  expect(hash.digest('hex')).toBe(createHash('sha256').update(all).digest('hex'));
});

test('a closed output pipe ends the command', async () => {
  await using project = projectDir();
  const child = spawn(process.execPath, [mainFile, 'run', 'yes'], {
    cwd: project.path,
    env: cleanEnvironment(project.env),
  });
  child.stdout.once('data', () => child.stdout.destroy());

  const [[code], stderr] = await Promise.all([once(child, 'close'), text(child.stderr)]);

  expect({ code, stderr }).toEqual({ code: 141, stderr: '' });
  await project.gone();
});

test('Ctrl-C is forwarded, and the command sets the exit code', async () => {
  await using project = projectDir();
  const script = 'trap "echo bye; exit 5" INT; echo up; while :; do sleep 1; done';
  const { child, ran } = await startUntil(project, { args: ['--', 'sh', '-c', script], word: 'up' });

  child.kill('SIGINT');

  expect((await ran).code).toBe(5);
  await project.gone();
});

test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
  '%s ends a command that does not care',
  async (signal) => {
    await using project = projectDir();
    const { child, ran } = await startUntil(project, {
      args: ['-c', 'echo up; exec sleep 30'],
      word: 'up',
    });

    child.kill(signal);

    expect((await ran).code).toBe({ SIGINT: 130, SIGTERM: 143, SIGHUP: 129 }[signal]);
    await project.gone();
  },
);

test('a signal ignored at the start does not end run', async () => {
  await using project = projectDir();
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
  const words = ['sh', mainFile, 'run', '-c', 'echo "$TROUPE_IGNORED_SIGNALS" up; exec sleep 30'];
  const child = spawn('nohup', words, {
    cwd: project.path,
    env: cleanEnvironment({ ...project.env, PATH }),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(child, 'close');
  const [printed] = await once(child.stdout, 'data');

  child.kill('SIGHUP');
  child.kill('SIGTERM');

  expect(String(printed)).toBe(' up\n');
  expect(await ended).toEqual([143, null]);
  await project.gone();
});

test('a second Ctrl-C kills the command at once', async () => {
  await using project = projectDir();
  const { child, ran } = await startUntil(project, {
    args: ['--grace', '100s', '-c', 'trap "echo first" INT; echo up; while :; do sleep 1; done'],
    word: 'up',
  });
  let printed = '';
  child.stdout.on('data', (chunk) => {
    printed += chunk;
  });
  child.kill('SIGINT');
  await waitUntil(() => printed.includes('first'));

  child.kill('SIGINT');

  expect((await ran).code).toBe(137);
  await project.gone();
});

test('processes left by the command end with run', async () => {
  await using project = projectDir();

  const ran = await run(project, ['-c', 'sleep 1000 >/dev/null 2>&1 & echo $!']);

  const pid = Number(ran.stdout);
  expect(pid).toBeGreaterThan(1);
  await waitUntil(() => !isAlive(pid), { what: 'the leftover is gone' });
  await project.gone();
});

test('run --json prints one object with output and end', async () => {
  await using project = projectDir();

  const ran = await call(project, ['--json', '-c', 'echo out; echo err >&2; exit 3']);

  expect(ran).toMatchObject({ code: 3, stderr: '' });
  expect(JSON.parse(ran.stdout)).toMatchObject({
    ok: false,
    error: 'err\n',
    stdout: 'out\n',
    stderr: 'err\n',
    output: expect.stringMatching(/^(out\nerr|err\nout)\n$/),
    exitCode: 3,
    truncated: false,
    process: { code: 3, status: 'failed' },
  });
});

test('run uses the nearest state directory upwards', async () => {
  await using project = projectDir();
  await call(project, ['mkdir', 'below']);

  await runProgram(['run', 'echo', 'x'], { cwd: project.file('below'), env: project.env });

  expect(readdirSync(project.file('below'))).toEqual([]);
});
