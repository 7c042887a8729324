import { mkdirSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { callProgram } from './call-program.ts';
import { type ProgramInput, projectDir, runProgram, startProgram } from './program.ts';

/** A project whose agent follows a script and has no person to ask. */
function scriptedProject() {
  const project = projectDir();
  mkdirSync(project.file('agents'));
  writeFileSync(
    project.file('agents/worker.yaml'),
    'name: worker\nmodel: scripted\npolicy: { mode: auto }\n',
  );
  return project;
}

type Project = ReturnType<typeof scriptedProject>;

const exec = ({ path }: Project, args: readonly string[], given: ProgramInput = {}) =>
  callProgram(['exec', ...args], { cwd: path, ...given });

const execProgram = ({ path, env }: Project, args: readonly string[], given: ProgramInput = {}) =>
  runProgram(['exec', ...args], { cwd: path, ...given, env: { ...env, ...given.env } });

test('stdout contains only the answer', async () => {
  await using project = scriptedProject();

  const ran = await execProgram(project, ['worker', '--task', 'run echo forty-two']);

  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toContain('forty-two');
});

test('stdout does not contain what the agent says when a background process has ended', async () => {
  await using project = scriptedProject();
  const args = ['worker', '--task', 'start sleep 0.3'];

  const [asText, asJson] = await Promise.all([
    execProgram(project, args),
    exec(project, [...args, '--json']),
  ]);

  expect(asText).toMatchObject({ code: 0, stdout: expect.stringMatching(/^(?!.*exited).+\n$/) });
  expect(asText.stderr).toMatch(/^troupe: After its answer the agent said:\n.*exited with code 0/);
  expect(JSON.parse(asJson.stdout)).toEqual({
    ok: true,
    data: expect.not.stringContaining('exited'),
    remarks: [expect.stringContaining('exited with code 0')],
  });
});

test('json is exactly one object', async () => {
  await using project = scriptedProject();

  const ran = await exec(project, ['worker', '--task', 'run echo forty-two', '--output', 'json']);

  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(ran.stdout)).toEqual({ ok: true, data: expect.stringContaining('forty-two') });
  expect(ran.stdout.trimEnd().split('\n')).toHaveLength(1);
});

test('a delegate owns its processes under the id of its own process', async () => {
  await using project = scriptedProject();
  const args = ['worker', '--task', 'run echo owned by $TROUPE_OWNER'];
  const env = { TROUPE_PROCESS_ID: 'agent_above222' };

  const [asDelegate, asFirst] = await Promise.all([
    exec(project, [...args, '--depth', '1'], { env }),
    exec(project, args, { env }),
  ]);

  expect(asDelegate.stdout).toContain('owned by agent_above222');
  expect(asFirst.stdout).toMatch(/owned by conv_/);
});

test('a denied call gives an exit code of its own', async () => {
  await using project = scriptedProject();
  writeFileSync(project.file('agents/asking.yaml'), 'name: asking\nmodel: scripted\n');
  const args = ['asking', '--task', 'run env echo forty-two'];

  const [asText, asJson, asDelegate] = await Promise.all([
    execProgram(project, args),
    exec(project, [...args, '--output', 'json']),
    exec(project, [...args, '--output', 'json', '--depth', '1']),
  ]);

  const reason = expect.stringContaining('there is no person to ask');
  expect(asText).toMatchObject({ code: 3, stderr: expect.stringContaining('run_command was denied: ') });
  expect(asJson).toMatchObject({ code: 3, stderr: '' });
  expect(JSON.parse(asJson.stdout)).toMatchObject({ ok: true, denied: [{ tool: 'run_command', reason }] });
  expect(asDelegate).toMatchObject({ code: 0, stderr: '' });
});

test('an error is printed as text and as JSON', async () => {
  await using project = scriptedProject();
  const args = ['wroker', '--task', 'x'];

  const [asText, asJson] = await Promise.all([
    execProgram(project, args),
    exec(project, [...args, '--output', 'json']),
  ]);

  expect(asText).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('Agent "wroker" not found'),
  });
  expect(asJson).toMatchObject({ code: 1, stderr: '' });
  expect(JSON.parse(asJson.stdout)).toEqual({
    ok: false,
    error: expect.stringContaining('Agent "wroker" not found'),
  });
});

test.each([
  ['a broken context', ['worker', '--task', 'x', '--context', '{"a"'], {}, 'Invalid context JSON: '],
  ['a context that is not an object', ['worker', '--task', 'x', '--context', '[1]'], {}, 'is not an object'],
  [
    'a garbled depth',
    ['worker', '--task', 'x', '--depth', '2x'],
    {},
    '--depth is "2x"; expected a whole number',
  ],
  [
    'a garbled depth around it',
    ['worker', '--task', 'x'],
    { TROUPE_DEPTH: 'deep' },
    'TROUPE_DEPTH is "deep"',
  ],
  ['too deep a place', ['worker', '--task', 'x', '--depth', '5'], {}, 'Maximum delegation depth (5) reached'],
  [
    'a deeper place around it',
    ['worker', '--task', 'x', '--depth', '0', '--max-depth', '2'],
    { TROUPE_DEPTH: '2' },
    'Maximum delegation depth (2) reached',
  ],
  ['no work', ['worker'], {}, 'There is no task'],
  ['an unknown setting', ['worker', '--task', 'x', '--limits.max_stps=1'], {}, 'Did you mean "max_steps"?'],
  [
    'a garbled time',
    ['worker', '--task', 'x', '--timeout', 'soon'],
    {},
    '--timeout is "soon"; expected seconds',
  ],
] as const)('%s is refused', async (_, args, env, problem) => {
  await using project = scriptedProject();

  const ran = await exec(project, [...args, '--output', 'json'], { env });

  expect(ran).toMatchObject({ code: 1, stderr: '' });
  expect(JSON.parse(ran.stdout)).toEqual({ ok: false, error: expect.stringContaining(problem) });
});

test('a run that takes too long fails in both forms', async () => {
  await using project = scriptedProject();
  const args = ['worker', '--task', 'run sleep 600', '--timeout', '1'];

  const [asText, asJson] = await Promise.all([
    execProgram(project, args),
    execProgram(project, [...args, '--output', 'json']),
  ]);

  expect(asText).toMatchObject({ code: 1, stdout: '' });
  expect(asText.stderr).not.toBe('');
  expect(asJson.code).toBe(1);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ ok: false });
  await project.gone();
});

test.each([
  ['text', ['worker', '--task', '-'], 'run echo from stdin\n'],
  ['an object', ['worker', '--task', '-'], '{"task":"run echo from stdin","context":{"depth":1}}'],
  ['an object without the flag', ['worker'], '{"task":"run echo from stdin"}'],
])('stdin gives the work as %s', async (_, args, input) => {
  await using project = scriptedProject();

  const ran = await exec(project, args, { input });

  expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('from stdin') });
});

test('a megabyte of context is taken', async () => {
  await using project = scriptedProject();
  const input = JSON.stringify({
    task: 'run echo taken',
    context: { relevant_facts: ['x'.repeat(1_000_000)] },
  });

  const ran = await execProgram(project, ['worker', '--task', '-', '--output', 'json'], { input });

  expect(JSON.parse(ran.stdout)).toEqual({ ok: true, data: expect.stringContaining('taken') });
});

test.each([
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const)('%s ends it with its processes', async (signal, expected) => {
  await using project = scriptedProject();
  const { child, ran } = startProgram(['exec', 'worker', '--task', 'run sleep 600', '--output', 'json'], {
    cwd: project.path,
    env: project.env,
  });
  await project.started();

  child.kill(signal);
  const { code, stdout } = await ran;

  expect(code).toBe(expected);
  expect(JSON.parse(stdout)).toEqual({ ok: false, error: `Ended by ${signal}.` });
  await project.gone();
});

test.each([
  ['TROUPE_DEPTH', '5', 'Maximum delegation depth'],
  ['TROUPE_POLICY', 'garbage', 'TROUPE_POLICY is "garbage"; expected the value that the parent agent set.'],
])('%s is judged before the model is', async (name, value, problem) => {
  await using project = projectDir();
  await callProgram(['init'], { cwd: project.path });

  const ran = await exec(project, ['assistant', '--task', 'hello'], { env: { [name]: value } });

  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr.startsWith(`troupe: ${problem}`)).toBe(true);
});

test('without a key it says who answers', async () => {
  await using project = projectDir();
  await callProgram(['init'], { cwd: project.path });

  const ran = await exec(project, ['assistant', '--task', 'hello', '--output', 'json']);

  expect(JSON.parse(ran.stdout)).toMatchObject({ ok: true });
  expect(ran.stderr).toContain('OPENAI_API_KEY is not set');
});
