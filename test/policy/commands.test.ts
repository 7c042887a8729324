import { describe, expect, test } from 'vitest';
import type { PolicyOptions } from '../../src/config/policy-options.ts';
import { MAX_COMMAND_CHARACTERS } from '../../src/policy/judge/read-start.ts';
import { decideStart } from './arrange.ts';

describe('an allow list', () => {
  const commands = { allow: ['npm test *', 'git status', 'cd *', 'echo * > out.txt'] };

  test.each([
    ['npm test', 'allow'],
    ['npm  test -- --watch=false', 'allow'],
    ['npm "test"', 'allow'],
    ['git status && npm test', 'allow'],
    ['cd sub; git status', 'allow'],
    ['timeout 60 nohup npm test', 'allow'],
    ['npm test 2>&1 >/dev/null', 'allow'],
    ['echo hi > out.txt', 'allow'],
    ['npm testing', 'ask'],
    ['git status --short', 'ask'],
    ['git status && ls', 'ask'],
    ['git status\nls', 'ask'],
    ['git status $(ls)', 'ask'],
    ['git status & ls', 'ask'],
    ['npm test > ~/.bashrc', 'ask'],
    ['npm test | tee log', 'ask'],
    ['PATH=/evil npm test', 'ask'],
    ['PATH=/evil; npm test', 'ask'],
    ['sudo npm test', 'ask'],
    ['env npm test', 'ask'],
    ['bash -c "npm test"', 'ask'],
    ['echo hi > other.txt', 'ask'],
    ['', 'ask'],
    ['npm test $(rm -rf /)', 'deny'],
  ])('a list of patterns says to %j: %s', async (command, expected) => {
    expect((await decideStart({ commands }, command)).type).toBe(expected);
  });

  test('must match what is wrapped as well', async () => {
    const both = { commands: { allow: ['sudo *', 'apt-get *'] } };

    expect((await decideStart(both, 'sudo apt-get update')).type).toBe('allow');
    expect((await decideStart(both, 'sudo ls')).type).toBe('ask');
  });

  test.each([
    ['git log --oneline', 'allow'],
    ['git commit -c HEAD', 'allow'],
    ['git -C sub status', 'allow'],
    ["sed -n 's/x/y/p; /e/d' f", 'allow'],
    ["awk '{ print $1 }' f", 'allow'],
    ['sort -u f', 'allow'],
    ['make CC=gcc -j4', 'allow'],
    ['make CC="touch x"', 'ask'],
    ['tar -xzf a.tgz', 'allow'],
    ['git -c alias.x="!touch /tmp/x" x', 'ask'],
    ['git -C sub -c core.pager=x log', 'ask'],
    ['git grep -O"touch x" a', 'ask'],
    ['git grep -nO a', 'ask'],
    ['git fetch --upload-pack="touch x" .', 'ask'],
    ['git fetch --upload="touch x" .', 'ask'],
    ['git clone -u "touch x" . y', 'ask'],
    ['git clone ext::"sh -c touch%20x" y', 'ask'],
    ['git log --output=/etc/x', 'ask'],
    ['git rebase -x "touch x" main', 'ask'],
    ['git bisect run touch x', 'ask'],
    ['git submodule foreach touch x', 'ask'],
    ["sed -n 's/x/touch a/e' f", 'ask'],
    ["sed '1etouch Z' f", 'ask'],
    ["sed -n 'w /etc/x' f", 'ask'],
    ['sed -e "$X" f', 'ask'],
    ['awk \'BEGIN { system("touch x") }\'', 'ask'],
    ['sort --compress-program=./x f', 'ask'],
    ['tar -cf a --checkpoint-action=exec=./x .', 'ask'],
    ['tar -I ./x -cf a .', 'ask'],
  ])('does not let an allowed program start others: %j is %s', async (command, expected) => {
    const programs = { allow: ['git *', 'sed *', 'awk *', 'sort *', 'tar *', 'make *'] };

    expect((await decideStart({ commands: programs }, command)).type).toBe(expected);
  });

  test('does not lift the deny list', async () => {
    expect((await decideStart({ commands: { allow: ['*'] } }, 'rm -rf build')).type).toBe('deny');
  });

  test('does not answer what cannot be told', async () => {
    expect((await decideStart({ commands: { allow: ['*'] } }, '$CMD')).type).toBe('ask');
  });

  test('lifts no prohibition of a mode', async () => {
    expect((await decideStart({ mode: 'plan', commands: { allow: ['*'] } }, 'ls')).type).toBe('deny');
  });
});

describe('a deny list', () => {
  const policy: PolicyOptions = { mode: 'dangerous', commands: { deny: ['git push *', 'curl *'] } };

  test.each([
    'git push',
    'git push --force',
    'git p""ush',
    '/usr/bin/git push',
    'X=1 git push > log',
    'true && (git push)',
    'sudo nohup git push',
    'bash -c "git push"',
    'echo $(curl example.com)',
    ['git', 'push'],
  ])('finds %j', async (command) => {
    expect(await decideStart(policy, command)).toMatchObject({
      type: 'deny',
      reason: expect.stringMatching(/matches the denied pattern "(git push|curl) \*"\.$/),
    });
  });

  test.each(['git pushd', 'echo git push', 'git status'])('leaves %j alone', async (command) => {
    expect((await decideStart(policy, command)).type).toBe('allow');
  });
});

describe('a default rule', () => {
  test.each(['default', 'auto', 'dangerous'] as const)('holds in the mode %s', async (mode) => {
    expect(await decideStart({ mode }, 'sudo rm -rf build')).toEqual({
      type: 'deny',
      reason: '"rm -rf build" is a recursive forced delete (rule recursive-forced-delete).',
      hint: 'Delete the files by name, or one directory with `rm -r`. Only the user can change the rule, in the policy\'s "rules".',
    });
  });

  test('can be turned into a question', async () => {
    const rules = { 'recursive-forced-delete': 'ask' } as const;

    expect(await decideStart({ mode: 'dangerous', rules }, 'rm -rf build')).toEqual({
      type: 'ask',
      question: 'run_command starts "rm -rf build". It is a recursive forced delete: "rm -rf build".',
      reason: 'It is a recursive forced delete: "rm -rf build".',
      always: null,
    });
  });

  test('can be turned off', async () => {
    const rules = { 'recursive-forced-delete': 'off' } as const;

    expect((await decideStart({ mode: 'auto', rules }, 'rm -rf build')).type).toBe('allow');
    expect((await decideStart({ mode: 'auto', rules }, 'reboot')).type).toBe('deny');
  });

  test('offers the scoped kill in place of pkill', async () => {
    expect(await decideStart({ mode: 'auto' }, 'pkill node')).toMatchObject({
      hint: expect.stringContaining('Use kill_process with the id from list_processes'),
    });
  });
});

describe('what cannot be told', () => {
  test('is asked for in every mode that asks', async () => {
    expect(await decideStart({ mode: 'dangerous' }, '$CMD -rf /')).toEqual({
      type: 'ask',
      question: 'run_command starts "$CMD -rf /". It runs a program whose name is only known when it runs.',
      reason: 'It runs a program whose name is only known when it runs.',
      always: null,
    });
  });

  test('is denied where there is no person to ask', async () => {
    const policy = { mode: 'ci', permissions: {} } as const;

    expect((await decideStart(policy, '$CMD')).type).toBe('deny');
  });

  test('is a command of more than 64 KiB', async () => {
    const longest = `echo ${'a'.repeat(MAX_COMMAND_CHARACTERS - 5)}`;

    expect((await decideStart({ mode: 'auto' }, longest)).type).toBe('allow');
    expect((await decideStart({ mode: 'auto' }, `${longest}a`)).type).toBe('ask');
  });

  test.each(['(', '$(', '{ ', '`', 'if true; then ', 'bash -c "'])('is %j a thousand times', async (text) => {
    expect((await decideStart({ mode: 'auto' }, `${text.repeat(10_000)} ls`)).type).toBe('ask');
  });
});
