import { expect, test } from 'vitest';
import { printBackgroundHints, printTerminalHint } from '../../src/cli/background-hints.ts';
import { isTerminal, printError, printLines, printNote, toProgramName } from '../../src/cli/cli-io.ts';
import { toErrnoText } from '../../src/cli/errno-text.ts';
import { toFlagWords } from '../../src/cli/flag-words.ts';
import { printFault } from '../../src/cli/print-fault.ts';
import { TroupeError } from '../../src/config/troupe-error.ts';
import { fakeIo } from './fake-io.ts';

const fail = (error: unknown) => {
  const place = fakeIo();
  const code = printFault(error, place.io);
  return [code, place.stderr(), place.stdout()];
};

test.each([
  ['invalid-option', 2],
  ['unknown-agent', 2],
  ['invalid-agent-file', 2],
  ['not-found', 1],
  ['unreachable', 1],
] as const)('a refusal with the code %s ends with %i', (code, exitCode) => {
  expect(fail(new TroupeError({ code, message: 'waitFor: "port" is 0; expected more.' }))).toEqual([
    exitCode,
    'troupe: --port is 0; expected more.\n',
    '',
  ]);
});

test.each([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['EROFS', 'the file system is read-only'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'your disk quota is used up'],
  ['ENOTDIR', 'a part of the path is a file'],
  ['EEXIST', 'a file stands in its place'],
  ['EISDIR', 'a directory stands in its place'],
])('a file that cannot be opened for %s is named with the reason', (code, reason) => {
  const error = Object.assign(new Error(code), { code, path: '/a\x1b[31m' });

  expect(fail(error)).toEqual([1, `troupe: "/a" cannot be opened: ${reason}.\n`, '']);
});

test.each([
  Object.assign(new Error('odd'), { code: 'EACCES' }),
  Object.assign(new Error('odd'), { code: 'EBADF', path: '/a' }),
  Object.assign(new Error('odd'), { code: 'toString', path: '/a' }),
])('any other error is internal, and shows the top of its stack', (error) => {
  error.stack = 'Error: odd\n    at a\n    at b\n    at c\n    at d';

  const [code, printed] = fail(error);

  expect(code).toBe(125);
  expect(`${printed}`.split('\n').map((line) => line.trim())).toEqual([
    'troupe: internal error: odd',
    'at a',
    'at b',
    'at c',
    '',
  ]);
});

test('an error without a code has no reason', () => {
  expect([toErrnoText({}), toErrnoText({ code: undefined })]).toEqual([null, null]);
});

test('the advice for a full background names the verbs', () => {
  const advice =
    'Too many. End one of them with kill(id), wait for one, or raise "maxBackgroundProcesses" (10). Then go on.';

  expect(toFlagWords(advice)).toBe(
    'Too many. End one of them with `troupe kill <id>`, or use `troupe run`. Then go on.',
  );
});

test.each([
  ['after', '--after is 1s'],
  ['command', 'the command is 1000'],
  ['cwd', '--cwd is 1000'],
  ['env', '--env is 1000'],
  ['every', '--every is 1s'],
  ['file', '--file is 1000'],
  ['grace', '--grace is 1s'],
  ['http', '--http is 1000'],
  ['killGrace', '--grace is 1s'],
  ['label', '--name is 1000'],
  ['maxBackgroundTime', '--max-time is 1s'],
  ['maxExecutionTime', '--max-time is 1s'],
  ['message', 'the message is 1000'],
  ['owner', '--owner is 1000'],
  ['pattern', '--pattern is 1000'],
  ['port', '--port is 1000'],
  ['portFree', '--port-free is 1000'],
  ['quiet', '--quiet-for is 1s'],
  ['size', '--size is 1000'],
  ['text', '--text is 1000'],
  ['timeout', '--timeout is 1s'],
])('the option "%s" is printed as %s', (option, words) => {
  for (const verb of ['start', 'schedule', 'kill', 'waitFor', 'watch', 'changeLimits', 'resize'])
    expect(toFlagWords(`${verb}: "${option}" is 1000; expected x.`)).toBe(`${words}; expected x.`);
  expect(toFlagWords(`restart: "${option}" is 1000; expected x.`)).toBe(
    `restart: "${option}" is 1000; expected x.`,
  );
});

test.each([
  ['start: "size" has 3 parts.', '--size has 3 parts.'],
  ['resize: "size.rows" is 0; expected more.', '--size is 0; expected more.'],
  ['start: "toString" is 1; expected x.', 'start: "toString" is 1; expected x.'],
  ['so start: "cwd" is 1; expected x.', 'so start: "cwd" is 1; expected x.'],
])('the refusal %j is printed as %j', (message, words) => {
  expect(toFlagWords(message)).toBe(words);
});

test('each kind of line is printed to its stream', () => {
  const place = fakeIo();

  printLines(place.io, 'a', 'b');
  printError(place.io, 'it failed', 'more');
  printNote(place.io, 'by the way');

  expect(place.stdout()).toBe('a\nb\n');
  expect(
    place
      .stderr()
      .split('\n')
      .map((line) => line.trim()),
  ).toEqual(['troupe: it failed', 'more', 'troupe: by the way', '']);
});

test('a terminal needs both its input and its output', () => {
  const { stdin, stdout } = fakeIo({ columns: 80 }).io;
  const file = fakeIo().io;

  expect(isTerminal({ stdin, stdout })).toBe(true);
  expect(isTerminal({ stdin: file.stdin, stdout })).toBe(false);
  expect(isTerminal({ stdin, stdout: file.stdout })).toBe(false);
});

test('hints name the commands that follow and end a process', () => {
  const place = fakeIo();

  printBackgroundHints('tool_a', place.io);

  expect(toProgramName({})).toBe('troupe');
  expect(place.stderr()).toBe(
    'troupe: follow it: troupe logs -f tool_a\ntroupe: end it:    troupe kill tool_a\n',
  );
});

const terminal = { type: 'terminal', because: 'A terminal of tmux.' };

test.each([
  [null, 'session', ''],
  [{ type: 'none', because: 'tmux is missing.' }, 'session', 'troupe: tmux is missing.\n'],
  [terminal, 'session', 'troupe: A terminal of tmux. Attach: troupe attach tool_a\n'],
  [
    terminal,
    'persistent',
    'troupe: A terminal of tmux. It ends with the daemon. Attach: troupe attach tool_a\n',
  ],
])('the terminal %j of a process that was to be %s is told', (given, asked, printed) => {
  const place = fakeIo();
  const view = { id: 'tool_a', terminal: given, lifetime: 'session' };

  printTerminalHint(view as never, { asked: asked as never, io: place.io });

  expect(place.stderr()).toBe(printed);
});
