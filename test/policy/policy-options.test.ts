import { expect, test } from 'vitest';
import { createPolicy } from '../../src/policy/create-policy.ts';
import { errorOf } from './arrange.ts';

test.each([
  [
    { mode: 'planing' },
    'policy: "mode" is "planing"; expected one of "default", "auto", "dangerous", "plan", "ci".',
  ],
  [{ permission: {} }, 'policy: there is no option "permission" (given: {}). Did you mean "permissions"?'],
  [
    { permissions: { Start: 'ask' } },
    'policy: "permissions.Start" is "ask"; expected a permission (start, kill, write, keys, status, output, list, other) or the name of a tool; did you mean "start"?.',
  ],
  [{ permissions: { kills: 'ask' } }, 'did you mean "kill"?'],
  [{ permissions: { 'rm -rf': 'ask' } }, 'or the name of a tool.'],
  [{ permissions: { start: 'yes' } }, '"permissions.start" is "yes"; expected one of "allow", "ask", "deny"'],
  [{ rules: { 'fork-bom': 'off' } }, 'rules'],
  [{ workspace: 'work' }, 'policy: "workspace" is "work"; expected an absolute path.'],
  [
    { sandbox: 'auto' },
    'policy: "sandbox" is "auto"; expected "off", or "restrictToWorkspace": true beside it.',
  ],
  [{ askTimeout: 'soon' }, '"askTimeout" is "soon"; expected a duration'],
])('%j is refused', (options, expected) => {
  const error = errorOf(() => createPolicy(options as never));

  expect(error).toMatchObject({ code: 'invalid-option' });
  expect(error.message).toContain(expected);
});

test('settings are complete, with durations in milliseconds', () => {
  const { settings } = createPolicy({ askTimeout: '30s', workspace: '/w' });

  expect(settings).toMatchObject({ mode: 'default', askTimeout: 30_000, workspace: '/w', rules: {} });
});

test('the workspace is where this program works', () => {
  expect(createPolicy().settings.workspace).toBe(process.cwd());
});
