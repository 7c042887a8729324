import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { tempDir } from '../support/os.ts';
import { callProgram } from './call-program.ts';
import { runProgram } from './program.ts';

test.each([
  [['git status'], 0, 'verdict: allow\n'],
  [
    ['git add . && git push --force'],
    1,
    'verdict: ask\nrule:    git-loss\nreason:  It is a loss of work or history in git: "git push --force" (rule git-loss).\n',
  ],
  [
    ['--mode', 'plan', '--', 'npm', 'test'],
    1,
    'verdict: deny\nreason:  No tool starts a process in the mode plan.\n',
  ],
])('policy check %j prints its verdict', async (args, code, beginning) => {
  using directory = tempDir();

  const checked = await callProgram(['policy', 'check', ...args], { cwd: directory.path });

  expect(checked).toMatchObject({ code, stderr: '' });
  expect(checked.stdout.startsWith(beginning)).toBe(true);
});

test('policy check reads a policy file', async () => {
  using directory = tempDir();
  writeFileSync(
    directory.file('policy.yaml'),
    'mode: dangerous\nrules:\n  deploy: { verdict: deny, what: a deployment, match: [make deploy] }\n  git-loss: ask\n',
  );
  const check = (...args: readonly string[]) =>
    callProgram(['policy', 'check', '--json', '--policy', 'policy.yaml', ...args], { cwd: directory.path });

  const answers = [await check('make deploy'), await check('git stash clear'), await check('$X')];

  expect(answers.map(({ stdout }) => JSON.parse(stdout))).toMatchObject([
    { verdict: 'deny', rule: 'deploy', reason: '"make deploy" is a deployment (rule deploy).' },
    { verdict: 'ask', rule: 'git-loss', hint: null },
    { verdict: 'allow', rule: null, reason: null, hint: null },
  ]);
});

test('policy check keeps a command in the workspace', async () => {
  using directory = tempDir();

  const { code, stdout } = await runProgram(['policy', 'check', '--restrict', 'cat ../notes.txt'], {
    cwd: directory.path,
  });

  expect(code).toBe(1);
  expect(stdout).toMatch(/^verdict: deny\nrule: {4}restrictToWorkspace\n[\s\S]*held by: (check|sandbox)\n$/);
});

test('policy check says what would hold the command', async () => {
  using directory = tempDir();
  writeFileSync(directory.file('policy.yaml'), 'restrict_to_workspace: true\nsandbox: off\n');

  const { code, stdout } = await callProgram(['policy', 'check', '--policy', 'policy.yaml', 'cat $FILE'], {
    cwd: directory.path,
  });

  expect(code).toBe(1);
  expect(stdout).toMatch(/^verdict: ask\nrule: {4}restrictToWorkspace\n[\s\S]*held by: check\n$/);
});

test.each([
  ['mood: auto\n', 'policy.yaml:1:7', 'there is no option "mood"'],
  ['rules: { git-los: off }\n', 'policy.yaml:1:19', 'the name of a default rule'],
  [
    'rules: { mine: { verdict: deny, what: x, match: ["rm <hoe>"] } }\n',
    'rules.mine',
    'no kind of target <hoe>',
  ],
  [null, '--policy is "policy.yaml"', 'cannot be read'],
])('policy check refuses the file %j', async (text, place, why) => {
  using directory = tempDir();
  if (text !== null) writeFileSync(directory.file('policy.yaml'), text);

  const { code, stderr } = await callProgram(['policy', 'check', '--policy', 'policy.yaml', 'ls'], {
    cwd: directory.path,
  });

  expect(code).toBe(2);
  expect(stderr).toContain(place);
  expect(stderr).toContain(why);
});
