import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { decodeAnsiC } from '../../src/policy/shell/ansi-c.ts';

/** Returns the text as bash reads it. */
function readByBash(text: string): string {
  return execFileSync('bash', ['-c', `printf %s $'${text}'`], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C.UTF-8' },
  });
}

test.each([
  String.raw`\a\b\e\E\f\n\r\t\v`,
  String.raw`\\\'\"\?`,
  String.raw`\x72\x6dx\xz`,
  String.raw`\u72\u006d\u00e9x`,
  String.raw`\U72\U0001f3adx`,
  String.raw`\7\72\162\1555`,
  String.raw`\cA\cz\c[`,
  String.raw`a\0b`,
  String.raw`\q\8`,
])('decodeAnsiC reads %s as bash does', (text) => {
  expect(decodeAnsiC(text)).toBe(readByBash(text));
});

test('decodeAnsiC replaces what is beyond Unicode', () => {
  expect(decodeAnsiC(String.raw`\U10ffff\U110000`)).toBe('\u{10ffff}\ufffd');
});
