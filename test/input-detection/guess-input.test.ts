import { expect, test } from 'vitest';
import { guessInput } from '../../src/input-detection/guess-input.ts';
import { readOpenLine } from '../../src/input-detection/open-line.ts';
import { parseTerminalMode } from '../../src/input-detection/terminal-mode.ts';
import { readOutput } from '../../src/output/read-output.ts';
import { createLog } from '../readiness/rig.ts';

test.each([
  ['Password:', 'secret'],
  ["Enter passphrase for key '/home/a/.ssh/id_ed25519':", 'secret'],
  ['[sudo] password for ann:', 'secret'],
  ['Verification code:', 'secret'],
  ['npm one-time password? ', 'secret'],
  ['Username for https://example.org:', 'line'],
  ['Ok to proceed? (y)', 'line'],
  ['package name: (app)', 'line'],
  ['Port: [8080]', 'line'],
  ['? Project name › app', 'line'],
  ['downloaded (3 of 5)', null],
  ['[info] listening', null],
  ['Ok to proceed? (y/n)', 'line'],
  ['Do you want to continue? [Y/n]', 'line'],
  ['Are you sure you want to continue connecting (yes/no)', 'line'],
  ['? Project name: ›', 'line'],
  ['>>>', 'line'],
  ['root@box:/#', 'line'],
  ['user@box ~ %', 'line'],
  ['Press any key to continue', 'key'],
  ['Press Enter to continue...', 'key'],
  ['--More--', 'key'],
  ['(END)', 'key'],
  ['Downloading 45%', null],
  ['compiling', null],
  ['waiting for the network...', null],
  [null, null],
])('%s is taken for %s', (openLine, kind) => {
  expect(guessInput(openLine?.trim() ?? null)).toBe(kind);
});

test.each([
  ['an unfinished line', 'a\nname? ', 'name?'],
  ['a finished line', 'a\nContinue?\n', null],
  ['nothing', '', null],
  ['blanks', 'a\n  ', null],
  ['the same line twice', '>>> \n>>> ', '>>>'],
  ['colours', '\u001b[1mname? \u001b[0m', 'name?'],
  ['a prompt that is drawn', '\u001b[1G\u001b[0Jname? \u001b[7G', 'name?'],
  ['frames', 'name\rwho are you? ', 'who are you?'],
  ['a screen that is drawn', '\u001b[?1049hmenu: ', null],
  ['a screen that was left', '\u001b[?1049hmenu: \u001b[?1049lname? ', 'name?'],
  ['a line that is no prompt', 'x'.repeat(1_000), null],
])('the prompt of %s is its unfinished line', (_what, printed, prompt) => {
  const log = createLog();
  log.write('stdout', Buffer.from(printed));

  expect(readOpenLine({ log, read: (options) => readOutput(log, options) })).toBe(prompt);
});

test.each([
  ['speed 38400 baud; line = 0;\n-brkint -imaxbel\nisig icanon iexten echo echoe', 'line'],
  ['isig icanon iexten -echo echoe echok', 'secret'],
  ['isig -icanon iexten -echo echoe', 'key'],
  ['isig -icanon iexten echo', 'key'],
  ['', null],
])('the flags "%s" mean %s', (text, kind) => {
  expect(parseTerminalMode(text)).toBe(kind);
});
