import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { loadAgent } from '../../src/agents/load-agent.ts';
import { tempDir } from '../support/os.ts';
import { callProgram } from './call-program.ts';
import { runProgram } from './program.ts';

test('a new project has a valid agent that asks', async () => {
  using folder = tempDir();

  const ran = await runProgram(['init', 'deep/project'], { cwd: folder.path });

  const directory = folder.file('deep/project');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toContain('cd deep/project');
  expect(ran.stdout).toContain('troupe chat');
  expect(readdirSync(directory).sort()).toEqual(['.gitignore', 'README.md', 'agents']);
  expect(readFileSync(join(directory, '.gitignore'), 'utf8')).toBe('.troupe/\n');
  expect(await loadAgent('assistant', { directory })).toMatchObject({
    name: 'assistant',
    policy: { mode: 'default' },
  });
});

test('under npx every hint says so', async () => {
  using folder = tempDir();
  const options = { cwd: folder.path, env: { npm_command: 'exec', npm_lifecycle_event: 'npx' } };

  const made = await callProgram(['init'], options);
  const again = await callProgram(['init'], options);
  const chat = await callProgram(['chat', '--resume'], options);
  const help = await callProgram(['help', 'exec'], options);

  const written = ['README.md', 'agents/assistant.yaml'].map((path) =>
    readFileSync(folder.file(path), 'utf8'),
  );
  const texts = [made.stdout, again.stderr, chat.stderr, help.stdout, ...written];
  const commands = texts.flatMap((text) => text.match(/(?:npx )?troupe (?:chat|exec|init)/g) ?? []);
  expect(commands.length).toBeGreaterThan(9);
  expect(commands.filter((command) => !command.startsWith('npx '))).toEqual([]);
});

test('existing files are not overwritten', async () => {
  using folder = tempDir();
  writeFileSync(folder.file('README.md'), 'mine');

  const ran = await callProgram(['init'], { cwd: folder.path });

  expect(ran).toMatchObject({ code: 1, stdout: '' });
  expect(ran.stderr).toContain('nothing was written: README.md exists already.\n');
  expect(ran.stderr).toContain('troupe init --force');
  expect(readdirSync(folder.path)).toEqual(['README.md']);
  expect(readFileSync(folder.file('README.md'), 'utf8')).toBe('mine');
});

test('force overwrites', async () => {
  using folder = tempDir();
  writeFileSync(folder.file('README.md'), 'mine');

  const { code } = await callProgram(['init', '--force'], { cwd: folder.path });

  expect(code).toBe(0);
  expect(readFileSync(folder.file('README.md'), 'utf8')).toContain('troupe chat');
});

test('a list of ignored files only grows', async () => {
  using folder = tempDir();
  writeFileSync(folder.file('.gitignore'), 'node_modules');

  await callProgram(['init'], { cwd: folder.path });
  await callProgram(['init', '--force'], { cwd: folder.path });

  expect(readFileSync(folder.file('.gitignore'), 'utf8')).toBe('node_modules\n.troupe/\n');
});

test.each(['taken', 'taken/below', 'odd'])('a file in the place of %s is named', async (directory) => {
  using folder = tempDir();
  writeFileSync(folder.file('taken'), '');
  mkdirSync(folder.file('odd'));
  writeFileSync(folder.file('odd/agents'), '');

  const { code, stderr } = await callProgram(['init', directory], { cwd: folder.path });

  expect(code).toBe(1);
  expect(stderr).toMatch(/(taken|odd\/agents)" is a file, and a directory is needed in its place\.\n/);
});

test('a directory that cannot be written is an error with advice', async () => {
  const { code, stderr } = await callProgram(['init', '/proc/troupe'], { cwd: '/' });

  expect(code).toBe(1);
  expect(stderr).toMatch(/^troupe: "\/proc\/troupe" cannot be written: .*\.\n {2}Name a directory of yours/);
});
