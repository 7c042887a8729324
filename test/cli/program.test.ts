import { spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { normalizeLine } from '../../src/cli/normalize-line.ts';
import { callProgram } from './call-program.ts';
import { cleanEnvironment, mainFile, projectDir, runProgram } from './program.ts';

const root = join(import.meta.dirname, '../..');
const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  runProgram(args, { cwd: root, env });
const call = (args: readonly string[]) => callProgram(args, { cwd: root });
/** Code that runs before the program. */
const before = (code: string) => ['--import', `data:text/javascript,${encodeURIComponent(code)}`];

test('the version is that of the package', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

  const ran = await run(['--version']);

  expect(ran).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test.each([
  ['stop', 'kill'],
  ['rm', 'kill'],
  ['status', 'ps'],
  ['list', 'ps'],
  ['log', 'logs'],
  ['tail', 'logs'],
  ['inspect', 'show'],
  ['capture', 'screen'],
])('%s is %s, which names it in its help', async (alias, verb) => {
  const [ofAlias, ofVerb, explained] = await Promise.all([
    call([alias, '--help']),
    call([verb, '--help']),
    call(['help', alias]),
  ]);

  expect(ofAlias).toEqual(ofVerb);
  expect(explained).toEqual(ofVerb);
  expect(ofVerb.stdout).toMatch(new RegExp(`^Aliases: .*\\b${alias}\\b`, 'm'));
});

test.each([
  ['tail web -n 5', 'logs --follow web -n 5'],
  ['start stop', 'start stop'],
  ['help rm', 'help kill'],
  ['__complete -- rm w', '__complete -- kill w'],
  ['__complete -- rm', '__complete -- rm'],
  ['-- stop', '-- stop'],
  ['kill -9 web', 'kill --signal 9 web'],
  ['stop web -KILL', 'kill web --signal KILL'],
  ['process kill -USR1 web', 'process kill --signal USR1 web'],
  ['kill -f -- -9', 'kill -f -- -9'],
  ['run -9', 'run -9'],
])('%s is understood as %s', (line, normalized) => {
  expect(normalizeLine(line.split(' ')).join(' ')).toBe(normalized);
});

test.each(['-v', '-V'])('%s prints the version', async (flag) => {
  const [short, long] = await Promise.all([run([flag]), run(['--version'])]);

  expect(short).toEqual(long);
});

test('the version loads no package', async () => {
  const tell = `
    import { registerHooks } from 'node:module';
    registerHooks({ load(url, context, next) { if (url.startsWith('file:')) process.stderr.write(url + '\\n'); return next(url, context); } });`;

  const { stderr } = await runProgram(['--version'], { cwd: root, node: before(tell) });

  const files = stderr.trim().split('\n');
  expect(files.filter((url) => url.includes('node_modules'))).toEqual([]);
  expect(files.length).toBeLessThan(15);
});

test.each(['20.11.0', '22.11.0'])('Node %s is refused as too old', async (version) => {
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '${version}' } });`;

  const ran = await runProgram(['help'], { cwd: root, node: before(pretend) });

  expect(ran).toMatchObject({ code: 125, stdout: '' });
  expect(ran.stderr).toMatch(
    new RegExp(`^troupe needs Node 22\\.12 or newer, and this is ${version}\\..*\\n$`),
  );
});

test.each([
  [['chta'], "unknown command 'chta'. Did you mean chat?", 'troupe help'],
  [['help', 'innit'], "unknown command 'innit'. Did you mean init?", 'troupe help'],
  [['chat', '--resum'], "unknown option '--resum'. Did you mean --resume?", 'troupe chat --help'],
  [['exec'], "missing required argument 'agent'.", 'troupe exec --help'],
  [['init', '--supervisor.shell=sh'], "unknown option '--supervisor.shell=sh'.", 'troupe init --help'],
])('%j is a usage error', async (args, problem, help) => {
  const ran = await call(args);

  expect(ran).toEqual({ code: 2, stdout: '', stderr: `troupe: ${problem}\n  See: ${help}\n` });
});

test('no command prints the help as an error', async () => {
  const ran = await run([]);

  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain('Usage: troupe <command>');
});

test.each([
  ['FORCE_COLOR', '1', true],
  ['NO_COLOR', '1', false],
])('%s decides on colours', async (name, value, isColoured) => {
  const { stderr } = await run(['chta'], { [name]: value });

  expect(stderr.includes('\x1b[')).toBe(isColoured);
});

test('control characters of an argument stay out of the terminal', async () => {
  const { stderr } = await run(['\x1b[31mred']);

  expect(stderr).not.toContain('\x1b');
});

test.each([
  ['help', ''],
  ['chat', 'hello\n'],
  ['exec assistant -t hello', ''],
])('%s tells of a full disk', async (line, input) => {
  await using at = projectDir();
  await callProgram(['init'], { cwd: at.path });
  const full = openSync('/dev/full', 'w');
  const stdio = ['pipe', full, 'pipe'] as const;
  const child = spawn(process.execPath, [mainFile, ...line.split(' ')], {
    cwd: at.path,
    env: cleanEnvironment(at.env),
    stdio: [...stdio],
  });
  closeSync(full);
  child.stdin?.on('error', () => {});
  child.stdin?.end(input);

  const [code, stderr] = await Promise.all([
    new Promise((resolve) => child.on('close', resolve)),
    text(child.stderr as Readable),
  ]);

  expect(code).toBe(125);
  expect(stderr.match(/^.*cannot be written.*$/gm)).toEqual([
    'troupe: the output cannot be written: the disk is full.',
  ]);
  expect(stderr).not.toContain('    at ');
});

test('a reader that has gone is no error', async () => {
  const child = spawn(process.execPath, [mainFile, 'help'], { cwd: root, env: cleanEnvironment() });
  child.stdout.destroy();

  const [code, stderr] = await Promise.all([
    new Promise((resolve) => child.on('close', resolve)),
    text(child.stderr),
  ]);

  expect({ code, stderr }).toEqual({ code: 141, stderr: '' });
});

test('a removed current directory is an error', async () => {
  await using project = projectDir();
  const script = 'mkdir gone && cd gone && rmdir ../gone && exec "$0" "$@"';
  const child = spawn('sh', ['-c', script, process.execPath, mainFile, 'ps'], {
    cwd: project.path,
    env: cleanEnvironment(project.env),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));

  const stderr = await text(child.stderr);

  expect(await ended).toBe(1);
  expect(stderr).toContain('troupe: the current directory does not exist any more\n');
  expect(stderr).not.toMatch(/uv_cwd|^\s+at /m);
});
