import { expect, test } from 'vitest';
import { createTerminalModes } from '../../../src/cli/verbs/attach/terminal-modes.ts';

function restoring(...pieces: readonly string[]): string {
  const modes = createTerminalModes();
  for (const piece of pieces) modes.see(Buffer.from(piece));
  return modes.restoring();
}

test('switched modes are restored', () => {
  const told = restoring('\x1b[?1h\x1b[?1000;1006h\x1b[?25l text \x1b[?2004h\x1b[?2004l');

  expect(told).toContain('\x1b[?1l');
  expect(told).toContain('\x1b[?1000l\x1b[?1006l');
  expect(told).toContain('\x1b[?25h');
  expect(told).not.toContain('2004');
  expect(told).not.toContain('1049');
});

test('a sequence that arrives in pieces counts as one', () => {
  const sequence = '\x1b[?1049;1003h';

  for (let at = 1; at < sequence.length; at += 1) {
    const told = restoring(`up${sequence.slice(0, at)}`, sequence.slice(at));

    expect(told).toContain('\x1b[?1003l');
    expect(told.endsWith('\x1b[?1049l')).toBe(true);
  }
});

test('a keyboard that was asked to tell more tells less again', () => {
  expect(restoring('\x1b[>1u\x1b[>5u\x1b[<u')).toMatch(/^\x1b\[<1u/);
  expect(restoring('\x1b[>1u\x1b[<u')).not.toContain('u');
});

test('an endless sequence takes no memory', () => {
  const modes = createTerminalModes();
  const open = Buffer.from('\x1b[?1'.repeat(100_000));

  for (let n = 0; n < 100; n += 1) modes.see(open);
  modes.see(Buffer.from('\x1b[?7l'));

  expect(modes.restoring()).toContain('\x1b[?7h');
});
