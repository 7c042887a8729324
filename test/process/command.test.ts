import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { quoteForShell, toCommandLine } from '../../src/process/command.ts';
import { toReportingCommand } from '../../src/process/cwd-report.ts';
import { describeLostEnvironment } from '../../src/process/process-plan.ts';

test.each([
  ['plain', 'plain'],
  ['a/b-c_d.e,f:g=h+i@j%k', 'a/b-c_d.e,f:g=h+i@j%k'],
  ['', "''"],
  ['a b', "'a b'"],
  ['a"b', `'a"b'`],
  ["it's", `'it'\\''s'`],
  ["''", `''\\'''\\'''`],
  ['$HOME', "'$HOME'"],
  ['a\nb', "'a\nb'"],
  ['ä', "'ä'"],
])('the argument %j is quoted where a shell needs it', (argument, quoted) => {
  expect(quoteForShell(argument)).toBe(quoted);
  expect(execFileSync('/bin/sh', ['-c', `printf %s ${quoted}`], { encoding: 'utf8' })).toBe(argument);
});

test.each([
  [{ type: 'argv', argv: ['echo', 'a b', 'c'] }, "echo 'a b' c"],
  [{ type: 'shell', script: 'echo a | wc', shell: '/bin/sh' }, 'echo a | wc'],
  [{ type: 'function', name: 'work' }, 'work()'],
] as const)('a command is one line: %j', (command, line) => {
  expect(toCommandLine(command)).toBe(line);
});

test.each(['sh', 'bash', 'dash', 'ash', 'ksh', 'mksh', 'zsh'])('%s can report its directory', (name) => {
  const shell = `/bin/${name}`;
  const [program, ...args] = toReportingCommand('cd /tmp', { shell, file: '/s/a b' }) ?? [];
  const into = `2>/dev/null >|'\\''/s/a b'\\''`;

  expect(program).toBe(shell);
  expect(args).toEqual([
    '-c',
    `_troupe_text=$1; shift; trap '{ set +ex; } 2>/dev/null; pwd -P ${into} || printf '\\''%s\\n'\\'' "$PWD" ${into}' EXIT; eval "$_troupe_text"`,
    shell,
    'cd /tmp',
  ]);
});

test.each(['fish', 'xsh', 'bash5', 'shx', 'nu'])('%s cannot', (name) => {
  expect(toReportingCommand('cd /tmp', { shell: `/bin/${name}`, file: '/s/a' })).toBeNull();
});

const lost = (names: string) =>
  `It cannot be restarted: the values of its environment variables (${names}) are lost. They were stored outside the project, in a temporary file that was removed. Start the command again as a new process.`;

test.each([
  [['A'], 'A'],
  [['A', 'B', 'C', 'D', 'E'], 'A, B, C, D, E'],
  [['A', 'B', 'C', 'D', 'E', 'F'], 'A, B, C, D, E and 1 more'],
  [['A', 'B', 'C', 'D', 'E', 'F', 'G'], 'A, B, C, D, E and 2 more'],
])('lost variables are named, five at most: %j', (names, shown) => {
  expect(describeLostEnvironment(names)).toBe(lost(shown));
});
