import { expect, test } from 'vitest';
import { toStatePaths } from '../../src/store/state-paths.ts';

test('every path is absolute and in its place', () => {
  const paths = toStatePaths('some/../.troupe/');

  const directory = `${process.cwd()}/.troupe`;
  expect(paths).toMatchObject({
    directory,
    processes: `${directory}/processes`,
    supervisors: `${directory}/supervisors`,
    conversations: `${directory}/conversations`,
    schedules: `${directory}/schedules`,
  });
  expect(paths.recordOf('tool_a')).toBe(`${directory}/processes/tool_a.json`);
  expect(paths.logOf('tool_a')).toBe(`${directory}/processes/tool_a.log`);
  expect(paths.statusOf('tool_a')).toBe(`${directory}/processes/tool_a.status`);
  expect(paths.supervisorOf('sup_a')).toBe(`${directory}/supervisors/sup_a.json`);
});

test('no id leads out of the directory', () => {
  const paths = toStatePaths('/x');

  for (const toPath of [paths.recordOf, paths.logOf, paths.statusOf, paths.supervisorOf]) {
    for (const id of ['../x', 'a/b', '', '.', 'a\u001b[2J']) {
      expect(() => toPath(id)).toThrow(expect.objectContaining({ code: 'invalid-option' }));
    }
  }
});

test('the error for a refused id has no control characters', () => {
  expect(() => toStatePaths('/x').logOf('a\u001b[2J')).toThrow('"a\\u001b[2J" is not an id');
});
