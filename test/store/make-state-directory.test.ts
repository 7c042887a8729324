import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { checkStateDirectory, makeStateDirectory } from '../../src/store/make-state-directory.ts';
import { toStatePaths } from '../../src/store/state-paths.ts';
import { tempDir } from '../support/os.ts';

function arrange() {
  const temp = tempDir();
  onTestFinished(() => temp.remove());
  return { at: temp.file, project: temp.path, paths: toStatePaths(temp.file('.troupe')) };
}

test('a state directory is no part of the repository', () => {
  const { at, project, paths } = arrange();
  const git = (...args: string[]) => execFileSync('git', ['-C', project, ...args], { encoding: 'utf8' });
  git('init', '--quiet');

  makeStateDirectory(paths);
  mkdirSync(paths.processes);
  writeFileSync(paths.recordOf('tool_a'), '{}');
  writeFileSync(at('work'), '');

  expect(git('status', '--porcelain', '--untracked-files=all')).toBe('?? work\n');
});

test('an older state directory learns to ignore itself', () => {
  const { at, paths } = arrange();
  mkdirSync(paths.processes, { recursive: true });

  makeStateDirectory(paths);

  expect(readFileSync(at('.troupe/.gitignore'), 'utf8')).toBe('*\n');
});

test('a project that is its own state directory is not ignored', () => {
  const { at, project } = arrange();
  writeFileSync(at('work'), '');

  makeStateDirectory(toStatePaths(project));

  expect(existsSync(at('.gitignore'))).toBe(false);
});

test('a state directory that others can write to is closed', () => {
  const { paths } = arrange();
  mkdirSync(paths.processes, { recursive: true });
  for (const path of [paths.directory, paths.processes]) chmodSync(path, 0o777);

  makeStateDirectory(paths);

  for (const path of [paths.directory, paths.processes]) expect(statSync(path).mode & 0o777).toBe(0o755);
});

test('an open directory with other things is refused and kept as it is', () => {
  const { at, project } = arrange();
  writeFileSync(at('work'), '');
  chmodSync(project, 0o777);

  expect(() => makeStateDirectory(toStatePaths(project))).toThrow(
    expect.objectContaining({
      code: 'state-directory',
      message: `Other users can write to the directory "${project}" (0777). Close it with chmod go-w, or name another state directory.`,
    }),
  );

  expect(statSync(project).mode & 0o777).toBe(0o777);
});

test.each(['processes', 'supervisors', 'conversations', 'schedules'] as const)(
  'a linked directory of %s is refused',
  (part) => {
    const { at, paths } = arrange();
    mkdirSync(at('elsewhere'));
    mkdirSync(paths.directory);
    symlinkSync('../elsewhere', paths[part]);

    expect(() => makeStateDirectory(paths)).toThrow('is a symbolic link');
  },
);

test.each([0o720, 0o702, 0o722])('a directory with mode %o can be written by others', (mode) => {
  const { at, project } = arrange();
  writeFileSync(at('work'), '');
  chmodSync(project, mode);

  expect(() => checkStateDirectory(toStatePaths(project))).toThrow('Other users can write');
});

test.each([0o700, 0o755, 0o555])('a directory with mode %o is closed', (mode) => {
  const { at, project } = arrange();
  writeFileSync(at('work'), '');
  chmodSync(project, mode);

  expect(() => checkStateDirectory(toStatePaths(project))).not.toThrow();
  chmodSync(project, 0o700);
});

test.each([
  'processes',
  'supervisors',
  'conversations',
  'schedules',
  '.gitignore',
  'recovery.lock',
  'recovery.lock.lock',
])('an open directory that holds only %s is closed', (name) => {
  const { at, project } = arrange();
  writeFileSync(at(name), '');
  chmodSync(project, 0o777);

  makeStateDirectory(toStatePaths(project));

  expect(statSync(project).mode & 0o777).toBe(0o755);
});

test('a directory that others may only read keeps its mode', () => {
  const { paths } = arrange();
  mkdirSync(paths.directory, { mode: 0o755 });
  chmodSync(paths.directory, 0o751);

  makeStateDirectory(paths);

  expect(statSync(paths.directory).mode & 0o777).toBe(0o751);
});

test('a file that ignores other things is kept', () => {
  const { at, paths } = arrange();
  mkdirSync(paths.directory);
  writeFileSync(at('.troupe/.gitignore'), 'processes\n');

  makeStateDirectory(paths);

  expect(readFileSync(at('.troupe/.gitignore'), 'utf8')).toBe('processes\n');
});
