// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is what the shell reads.
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
    ['git push --dry-run', 'ask'],
    ['git status && make', 'ask'],
    ['git status\nmake', 'ask'],
    ['git status $(make)', 'ask'],
    ['git status & make', 'ask'],
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
    expect((await decideStart({ commands: { allow: ['*'] } }, 'rm -rf /')).type).toBe('deny');
  });

  test('does not answer what cannot be told', async () => {
    expect((await decideStart({ commands: { allow: ['*'] } }, '$CMD')).type).toBe('ask');
  });

  test('lifts no prohibition of a mode', async () => {
    expect((await decideStart({ mode: 'plan', commands: { allow: ['*'] } }, 'npm test')).type).toBe('deny');
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
  test.each(['default', 'auto', 'dangerous'] as const)('denies in the mode %s', async (mode) => {
    expect(await decideStart({ mode }, 'sudo rm -rf /')).toEqual({
      type: 'deny',
      rule: 'delete-beyond-repair',
      reason:
        '"rm -rf /" is a deletion of the system, the home, the repository, or files outside the workspace (rule delete-beyond-repair).',
      hint: 'Delete only files of the workspace. Only the user can change the rule, in the policy\'s "rules".',
    });
  });

  test('becomes a question in every mode by a setting', async () => {
    const rules = { 'delete-beyond-repair': 'ask' } as const;

    expect(await decideStart({ mode: 'dangerous', rules }, 'rm -rf /')).toMatchObject({
      type: 'ask',
      rule: 'delete-beyond-repair',
      reason: expect.stringMatching(/^It is a deletion of the system.*\(rule delete-beyond-repair\)\.$/),
    });
  });

  test('is turned off by a setting', async () => {
    const rules = { 'delete-beyond-repair': 'off', 'git-loss': 'deny' } as const;

    expect((await decideStart({ mode: 'auto', rules }, 'rm -rf ~/x')).type).toBe('allow');
    expect((await decideStart({ mode: 'auto', rules }, 'git stash clear')).type).toBe('deny');
    expect((await decideStart({ mode: 'auto', rules }, 'reboot')).type).toBe('deny');
  });

  test('asks nothing in the mode dangerous', async () => {
    expect((await decideStart({ mode: 'auto' }, 'git reset --hard')).type).toBe('ask');
    expect((await decideStart({ mode: 'dangerous' }, 'git reset --hard')).type).toBe('allow');
  });

  test('asks nothing about what the allow list names', async () => {
    const commands = { allow: ['git push *'] };

    expect((await decideStart({ mode: 'auto', commands }, 'git push --force')).type).toBe('allow');
    expect((await decideStart({ mode: 'auto', commands }, 'git push --force; $X')).type).toBe('ask');
  });

  test('offers the scoped kill in place of pkill', async () => {
    expect(await decideStart({ mode: 'auto' }, 'pkill node')).toMatchObject({
      hint: expect.stringContaining('Use kill_process with the id from list_processes'),
    });
  });
});

describe('a rule of the user', () => {
  const rules = {
    deploy: { verdict: 'deny', what: 'a deployment', hint: 'Open a pull request.', match: ['make deploy'] },
    mail: { verdict: 'ask', what: 'a mail', match: ['mail|sendmail !--dry-run', 'curl /smtps?:/'] },
  } as const;

  test.each([
    ['make deploy', 'deny'],
    ['nohup make -j4 "deploy" &', 'deny'],
    ['make test', 'allow'],
    ['echo hi | mail me', 'ask'],
    ['mail --dry-run me', 'allow'],
    ['curl smtps://example.com', 'ask'],
  ])('judges %j: %s', async (command, expected) => {
    expect((await decideStart({ mode: 'dangerous', rules }, command)).type).toBe(expected);
  });

  test('says what it is about', async () => {
    expect(await decideStart({ mode: 'auto', rules }, 'make deploy')).toEqual({
      type: 'deny',
      rule: 'deploy',
      reason: '"make deploy" is a deployment (rule deploy).',
      hint: 'Open a pull request. Only the user can change the rule, in the policy\'s "rules".',
    });
  });
});

describe('a mode', () => {
  test.each([
    ['ls -la | grep x', 'allow', 'allow'],
    ['git diff HEAD~1 -- src && cat "$FILE"', 'allow', 'allow'],
    ['cd src && rg -n x 2>/dev/null', 'allow', 'allow'],
    ["find . -name '*.ts' -newer x", 'allow', 'allow'],
    ['timeout 5 git log -p', 'allow', 'allow'],
    ['find . -name x -exec cat {} +', 'ask', 'deny'],
    ['git log --output=x', 'ask', 'deny'],
    ['git branch new', 'ask', 'deny'],
    ['sort $X', 'ask', 'deny'],
    ['sort -o x y', 'ask', 'deny'],
    ['rg --pre x y', 'ask', 'deny'],
    ['ls > x', 'ask', 'deny'],
    ['ls > src/dev/null', 'ask', 'deny'],
    ['ls > /dev/null.txt', 'ask', 'deny'],
    ['PATH=/x ls', 'ask', 'deny'],
    ['PATH=/x; ls', 'ask', 'deny'],
    ['./ls', 'ask', 'deny'],
    ['ls $(make)', 'ask', 'deny'],
    ['ls() { make; }; ls', 'ask', 'deny'],
    ['npm test', 'ask', 'deny'],
    ['', 'ask', 'deny'],
  ])('asks or only reads: %j is judged %s, %s', async (command, byDefault, inPlan) => {
    expect((await decideStart({}, command)).type).toBe(byDefault);
    expect((await decideStart({ mode: 'plan' }, command)).type).toBe(inPlan);
  });

  test('asks before a reader where the user wants that', async () => {
    expect((await decideStart({ permissions: { start: 'ask' } }, 'ls')).type).toBe('ask');
    expect((await decideStart({ mode: 'plan', permissions: { start: 'deny' } }, 'ls')).type).toBe('deny');
  });

  test('named dangerous asks nothing', async () => {
    expect((await decideStart({ mode: 'dangerous' }, '$CMD x')).type).toBe('allow');
    expect((await decideStart({ mode: 'dangerous' }, 'docker run x rm -rf /')).type).toBe('allow');
  });
});

describe('an unreadable command', () => {
  test.each([
    ['bash -c "$CMD"', 'gives a shell text that is only known when it runs'],
    [`bash '-x y' -c ls`, 'gives a shell an option that cannot be read'],
    ['bash "$FILE"', 'gives a shell a file that is only known when it runs'],
    ['source "$FILE"', 'reads commands from a file that is only known when it runs'],
    ['bash -s', 'starts a shell that reads commands from its input'],
    ["printf -v 'a[$(ls)]' x", 'computes with text that runs commands'],
    ["declare -i x='a[$(ls)]'", 'sets a variable to what runs commands where it is computed with'],
    ['echo ${one="$"}${two="$one(ls)"}${two@P}', 'runs the value of a variable'],
  ])('has its reason in the question: %j %s', async (command, why) => {
    expect(await decideStart({ mode: 'auto' }, command)).toMatchObject({
      type: 'ask',
      reason: expect.stringContaining(why),
    });
  });

  test('is a question', async () => {
    expect(await decideStart({ mode: 'auto' }, '$CMD -rf /')).toEqual({
      type: 'ask',
      question: 'run_command starts "$CMD -rf /". It runs a program whose name is only known when it runs.',
      reason: 'It runs a program whose name is only known when it runs.',
      always: null,
    });
  });

  test('is denied where no person is asked', async () => {
    expect((await decideStart({ mode: 'ci' }, '$CMD')).type).toBe('deny');
  });

  test('is one of more than 64 KiB', async () => {
    const document = (length: number) => `cat > x.txt <<'END'\n${'a'.repeat(length)}\nEND`;

    expect((await decideStart({ mode: 'auto' }, document(MAX_COMMAND_CHARACTERS - 100))).type).toBe('allow');
    expect((await decideStart({ mode: 'auto' }, document(MAX_COMMAND_CHARACTERS))).type).toBe('ask');
  });

  test.each([
    ['2000 commands', ':\n', 2_000],
    ['5000 words', ': a a a a\n', 1_000],
  ])('is one of more than %s', async (_limit, line, count) => {
    expect((await decideStart({ mode: 'auto' }, line.repeat(count))).type).toBe('allow');
    expect(await decideStart({ mode: 'auto' }, line.repeat(count + 1))).toMatchObject({
      type: 'ask',
      reason: expect.stringContaining('consists of too many commands'),
    });
  });

  test.each(['(', '$(', '{ ', '`', 'if true; then ', 'bash -c "'])('is %j a thousand times', async (text) => {
    expect((await decideStart({ mode: 'auto' }, `${text.repeat(10_000)} ls`)).type).toBe('ask');
  });
});

describe('a disguise', () => {
  test.each([
    ['echo ${one="$"}${two="$one(rm -rf /)"}${two@P}', 'ask'],
    ["bash -oc posix 'rm -rf /'", 'deny'],
    ["env -S 'rm\\_-rf\\_/'", 'deny'],
    [". //dev/stdin <<<'rm -rf /'", 'deny'],
    ["printf -v 'a[$(rm -rf /)]' x", 'ask'],
    ["git config alias.x '!r\\m -rf /' && git x", 'ask'],
    ["tar --to-command='r\\m -rf /' -xf x", 'ask'],
    ["ssh -oProxyCommand='rm -rf /' h", 'deny'],
  ])('is seen through: %j is %s', async (command, expected) => {
    expect((await decideStart({ mode: 'auto' }, command)).type).toBe(expected);
  });

  test.each([
    'cat <<-EOF\n\tindented\n\tEOF',
    `git commit -m "$(cat <<'EOF'\nfix: it's "done"\n\nrm -rf / is denied\nEOF\n)"`,
    "jest -t 'should rm -rf x'",
    `psql -c "select 'halt'"`,
    `trap 'rm -rf "$tmp"' EXIT`,
    'npx rimraf dist',
    "grep -rn 'rm -rf /' .",
    'echo "rm -rf /"',
    'git commit -m "git reset --hard; rm -rf /"',
  ])('is not suspected in %j', async (command) => {
    expect(await decideStart({ mode: 'auto' }, command)).toEqual({ type: 'allow' });
  });
});
