import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { readTableScope } from '../../../src/spawn/tree/table-scope.ts';
import { endedRecord, runningRecord, writeRecord } from '../../state-directory/records.ts';
import { startTicksOf } from '../../support/os.ts';
import { callProgram } from '../call-program.ts';
import { cleanEnvironment, mainFile, projectDir } from '../program.ts';

const complete = async (words: readonly string[]) => {
  await using project = projectDir();
  mkdirSync(project.file('agents'));
  writeFileSync(project.file('agents/worker.yaml'), '');
  const ran = await callProgram(['__complete', '--', ...words], { cwd: project.path, env: project.env });
  const rows = ran.stdout.trimEnd().split('\n');
  return { words: rows.slice(0, -1).map((row) => row.split('\t')[0]), also: rows.at(-1) };
};

test.each([
  [['grap'], ['graph'], ':nothing'],
  [['graph', 'proc'], ['process'], ':nothing'],
  [['graph', '--format', ''], ['mermaid', 'svg', 'json'], ':nothing'],
  [['graph', 'process', '--form'], ['--format'], ':nothing'],
  [['help', 'grap'], ['graph'], ':nothing'],
  [['run', '--on-t'], ['--on-timeout'], ':nothing'],
  [['run', '--on-timeout', 'k'], ['kill'], ':nothing'],
  [['start', '--restart', 'o'], ['on-failure'], ':nothing'],
  [['run', '--timeout', '5s', 'l'], [], ':commands'],
  [['run', '--', 'l'], [], ':commands'],
  [['run', 'ls', '--on-t'], [], ':files'],
  [['completion', ''], ['bash', 'zsh', 'fish'], ':nothing'],
  [['exec', ''], ['worker'], ':nothing'],
  [['up', 'tr'], [], ':files'],
  [['kill', ''], [], ':nothing'],
  [['att'], ['attach'], ':nothing'],
  [['keys', 'it', 'Page'], ['PageUp', 'PageDown'], ':nothing'],
  [['schedule', 'ca'], ['cancel'], ':nothing'],
  [['schedule', 'cancel', ''], [], ':nothing'],
  [['capture', '--scr'], ['--scrollback'], ':nothing'],
  [['write', '--from-file', 'x'], [], ':files'],
  [['nonsense', ''], [], ':nothing'],
])('%j is completed', async (words, candidates, also) => {
  expect(await complete(words)).toEqual({ words: candidates, also });
});

test('processes are offered by id and by label', async () => {
  await using project = projectDir();
  const directory = project.file('.troupe');
  const member = { pid: process.pid, pgid: 1, startedAt: String(startTicksOf(process.pid)), command: 'left' };
  const elsewhere = { scope: { ...readTableScope(), pidNamespace: 'pid:[1]' } };
  const live = runningRecord('tool_live2222', elsewhere);
  const records = [
    { ...live, view: { ...live.view, label: 'web' } },
    {
      ...runningRecord('tool_odd22222', elsewhere),
      view: { ...live.view, id: 'tool_odd22222', label: 'my web' },
    },
    endedRecord('tool_ended222', { label: 'old' }),
    endedRecord('tool_left2222', { leftovers: [member] }),
  ];
  for (const record of records) writeRecord(directory, record, record.view.id);
  const complete = async (verb: string) =>
    (await callProgram(['__complete', '--', verb, ''], { cwd: project.path, env: project.env })).stdout;

  const [toKill, toShow] = await Promise.all([complete('kill'), complete('show')]);

  expect(toKill.split('\n')).toEqual([
    'tool_live2222\tbackgrounded web',
    'tool_odd22222\tbackgrounded my web',
    'tool_left2222\tcompleted sleep 1000',
    'web\ttool_live2222',
    ':nothing',
    '',
  ]);
  expect(toShow).toContain('\nold\ttool_ended222\n');
});

test('the help does not list the hidden command', async () => {
  const { stdout } = await callProgram(['help'], { cwd: import.meta.dirname });

  expect(stdout).not.toContain('__complete');
});

const hasShell = (shell: string) => spawnSync(shell, ['-c', 'exit 0']).status === 0;

test.each(['bash', 'zsh', 'fish'])('the script for %s can be read by it', async (shell) => {
  const { stdout } = await callProgram(['completion', shell], { cwd: import.meta.dirname });
  if (!hasShell(shell)) return console.warn(`SKIPPED: ${shell} is missing; its script was not read.`);

  const script = installation.file(shell);
  writeFileSync(script, stdout);
  const { status, stderr } = spawnSync(shell, ['-n', script], { encoding: 'utf8' });

  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
});

/** A directory with `troupe` in it, as an installation would have it. */
let bin = '';
const installation = projectDir();
beforeAll(() => {
  const program = installation.file('troupe');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${mainFile}' "$@"\n`);
  chmodSync(program, 0o755);
  bin = dirname(program);
  return () => installation[Symbol.asyncDispose]();
});

test('bash completes as its keys would', async () => {
  await using project = projectDir();
  writeFileSync(project.file('troupe.yaml'), '');
  const script = `
    source <(troupe completion bash)
    ask() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _troupe; echo "\${COMPREPLY[*]}"; }
    complete -p troupe; ask troupe graph --format s; ask troupe up tr; ask troupe run ec | tr ' ' '\\n' | grep -x echo | sort -u`;

  const { stdout, stderr } = spawnSync('bash', ['-c', script], {
    cwd: project.path,
    env: cleanEnvironment({ ...project.env, PATH: `${bin}:${process.env['PATH']}` }),
    encoding: 'utf8',
  });

  expect({ stdout, stderr }).toEqual({
    stdout: 'complete -F _troupe troupe\nsvg\ntroupe.yaml\necho\n',
    stderr: '',
  });
});

test('fish completes as its keys would', () => {
  if (!hasShell('fish')) return console.warn('SKIPPED: fish is missing; nothing is known of its completion.');
  const { stdout } = spawnSync(
    'fish',
    ['-c', 'troupe completion fish | source; complete -C "troupe graph --format "'],
    {
      env: cleanEnvironment({
        ...installation.env,
        PATH: `${bin}:${process.env['PATH']}`,
        HOME: installation.path,
      }),
      encoding: 'utf8',
    },
  );

  expect(stdout.trim().split('\n')).toEqual(['json', 'mermaid', 'svg']);
});
