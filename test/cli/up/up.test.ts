import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { waitUntil } from '../../support/os.ts';
import { callProgram } from '../call-program.ts';
import { projectDir, runProgram, STARTED_WITHIN_MS, startProgram } from '../program.ts';

/** Says its name, and how it was ended. */
const member = (name: string) =>
  `trap "echo ${name} ends; exit 0" TERM; echo ${name} is up; while :; do sleep 1; done`;

function stackProject(processes: Readonly<Record<string, object>>, more: object = {}) {
  const project = projectDir();
  writeFileSync(project.file('troupe.yaml'), JSON.stringify({ processes, ...more }));
  return project;
}

/** Runs `up` until all are ready; the result tells of the end. */
async function up(project: ReturnType<typeof stackProject>) {
  const { child, ran } = startProgram(['up'], { cwd: project.path, env: project.env });
  let stderr = '';
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  await waitUntil(() => stderr.includes('are ready'), { withinMs: STARTED_WITHIN_MS, what: 'all are ready' });
  return { child, ran };
}

const pair = {
  web: { command: member('web'), depends_on: 'db', ready: { line: 'is up' } },
  db: { command: member('db'), ready: { line: 'is up' } },
};

test('Ctrl-C stops a stack in reverse order', async () => {
  await using project = stackProject(pair);
  const { child, ran } = await up(project);

  child.kill('SIGINT');

  const { code, stdout } = await ran;
  expect(code).toBe(130);
  const rows = stdout.split('\n').filter((row) => /(is up|ends)$/.test(row));
  expect(rows).toEqual(['db  │ db is up', 'web │ web is up', 'web │ web ends', 'db  │ db ends']);
  await project.gone();
});

test('a second Ctrl-C kills the stack at once', async () => {
  const stubborn = {
    command: 'trap "echo no" TERM; echo up; while :; do sleep 1; done',
    kill_grace: '100s',
    // Before that it does not know what to do with a signal.
    ready: { line: 'up' },
  };
  await using project = stackProject({ stubborn });
  const { child, ran } = await up(project);
  let stdout = '';
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.kill('SIGINT');
  await waitUntil(() => stdout.includes('no\n'));

  child.kill('SIGINT');

  expect((await ran).code).toBe(130);
  await project.gone();
});

test.each([
  ['came to a good end', 'true', 0],
  ['failed for good', 'exit 3', 1],
  ['could not be started', ['nosuchprogram'], 1],
])('up of a stack whose process %s ends with its exit code', async (_name, command, code) => {
  await using project = stackProject({ only: { command, restart: 'never' } });

  const ran = await runProgram(['up'], { cwd: project.path, env: project.env });

  expect(ran.code).toBe(code);
  await project.gone();
});

test('up does not restart a failed process unasked', async () => {
  await using project = stackProject({ only: { command: 'echo run >> runs; exit 3' } });

  const ran = await runProgram(['up'], { cwd: project.path, env: project.env });

  expect(ran.code).toBe(1);
  expect(readFileSync(project.file('runs'), 'utf8')).toBe('run\n');
});

test('up reports and skips dependents of a failed process', async () => {
  await using project = stackProject({
    web: { command: 'echo never', depends_on: ['db'] },
    db: { command: 'exit 1', restart: 'never', ready: { line: 'x' } },
  });

  const ran = await runProgram(['up'], { cwd: project.path, env: project.env });

  expect(ran.code).toBe(1);
  expect(ran.stdout).not.toContain('never');
  expect(ran.stderr).toContain('not all of troupe.yaml is up:');
  expect(ran.stderr).toContain('web is not started: db, which it depends on');
});

test('up prefixes both streams and the end with the name', async () => {
  await using project = stackProject({
    a: { command: 'echo out; echo err >&2; printf last', restart: 'never' },
  });

  const { stdout } = await runProgram(['up'], { cwd: project.path, env: project.env });

  expect(stdout.split('\n').toSorted()).toEqual([
    '',
    'a │ err',
    'a │ exited with code 0',
    'a │ last',
    'a │ out',
  ]);
});

test('up starts nothing with a mistake in the file', async () => {
  await using project = stackProject({ a: { comand: 'x' } });

  const ran = await callProgram(['up'], { cwd: project.path });

  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toMatch(/^troupe: troupe\.yaml:1:\d+: in "a", there is no option "comand"/);
});

test('up without a file says what to do', async () => {
  await using project = projectDir();

  const ran = await callProgram(['up'], { cwd: project.path });

  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toContain('there is no troupe.yaml or troupe.yml');
});
