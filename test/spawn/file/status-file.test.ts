import { expect, test } from 'vitest';
import { parseStatus as parse, readStatus, toBeganLine } from '../../../src/spawn/file/status-file.ts';
import { tempDir } from '../../support/os.ts';

const parseStatus = (text: string, attempt: number) => parse(text, { attempt, known: null });
const begun = '\nlauncher 1 10\n\nleader 1 11\n';

test('an attempt without a line has an empty status', () => {
  expect(parseStatus('', 1)).toEqual({
    launcher: null,
    leader: null,
    exit: null,
    gaps: [],
    shellOutput: '',
    isTruncated: false,
    isDrained: false,
  });
  expect(parseStatus('\nlauncher 2 10\n\nleader 2 11\n\nexit 2 0\n', 1).launcher).toBeNull();
});

test('a line without its newline is ignored', () => {
  expect(parseStatus('\nlauncher 1 10\n\nleader 1 1', 1)).toMatchObject({ launcher: 10, leader: null });
  expect(parseStatus(`${begun}\nexit 1 13`, 1).exit).toBeNull();
  expect(parseStatus(`\nlauncher 1 10\n\nleader 1 1\nlauncher 2 20\n`, 2).launcher).toBe(20);
});

test('a status above 128 without a shell message is a code', () => {
  for (const code of [0, 1, 126, 127, 128, 137, 143, 255]) {
    expect(parseStatus(`${begun}\nexit 1 ${code}\n`, 1).exit).toEqual({ code, signal: null, certain: true });
  }
});

test('a shell message makes a status above 128 a signal', () => {
  expect(parseStatus(`${begun}Killed\n\nexit 1 137\n`, 1).exit).toEqual({
    code: null,
    signal: 'SIGKILL',
    certain: true,
  });
});

test('a mute shell leaves a signal uncertain', () => {
  const uncertain = (signal: string) => ({ code: null, signal, certain: false });

  expect(parseStatus(`${begun}\nexit 1 130\n`, 1).exit).toEqual(uncertain('SIGINT'));
  expect(parseStatus(`${begun}\nexit 1 141\n`, 1).exit).toEqual(uncertain('SIGPIPE'));
  expect(parseStatus(`${begun}\nexit 1 143 mute\n`, 1).exit).toEqual(uncertain('SIGTERM'));
  expect(parseStatus(`${begun}\nexit 1 3 mute\n`, 1).exit).toEqual({ code: 3, signal: null, certain: true });
});

test('lines of supervisors and other attempts are no shell messages', () => {
  const text = `Killed\n${begun}${toBeganLine(1, { pid: 11, startedAt: '99' })}\ngap 4096 8192\n\nexit 1 137\n`;

  const status = parseStatus(text, 1);

  expect(status.leader).toEqual({ pid: 11, startedAt: '99' });
  expect(status.exit?.signal).toBeNull();
  expect(status.gaps).toEqual([{ from: 4096, to: 8192 }]);
});

test('several attempts share one status file', () => {
  const text = `${begun}Terminated\n\nexit 1 143\n\nlauncher 2 20\n\nleader 2 21\n\nexit 2 0\n\nlauncher 3 30\n`;

  expect(parseStatus(text, 1).exit?.signal).toBe('SIGTERM');
  expect(parseStatus(text, 2)).toMatchObject({ launcher: 20, leader: { pid: 21 }, exit: { code: 0 } });
  expect(parseStatus(text, 3)).toMatchObject({ launcher: 30, leader: null, exit: null });
});

test('the exit of a known leader counts in a truncated file', () => {
  const known = { launcher: 10, leader: { pid: 11, startedAt: '99' } };

  for (const cut of ['', 'lead', '\nlauncher 1 10\n', '\nlauncher 1 10\n\nlead']) {
    const status = parse(`${cut}\nexit 1 7\n`, { attempt: 1, known });
    expect(status).toMatchObject({ ...known, exit: { code: 7 }, isTruncated: true });
  }
  expect(parse('\nexit 1 7\n', { attempt: 2, known })).toMatchObject({ ...known, exit: null });
});

test('a missing file is empty, and one that cannot be read is an error', () => {
  using directory = tempDir();

  expect(readStatus(directory.file('missing'), 1)).toEqual(parseStatus('', 1));
  expect(() => readStatus(directory.path, 1)).toThrow(/EISDIR|not a regular file/);
});
