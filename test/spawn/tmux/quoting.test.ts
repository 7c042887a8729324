import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { toShellWord } from '../../../src/spawn/launcher-shell.ts';
import { toPlainFormat, toTmuxText } from '../../../src/spawn/tmux/quoting.ts';

const path = `/a b/'"$HOME\`id\`#{pid}%H\\\n\té😀;&*/x.log`;

test('a quoted path is the path again for a shell', () => {
  const printed = execFileSync('/bin/sh', ['-c', `printf %s ${toShellWord(path)}`], { encoding: 'utf8' });

  expect(printed).toBe(path);
});

test('a quoted path contains nothing that tmux expands', () => {
  expect(toShellWord(path)).not.toMatch(/[#%{}\n]/);
  expect(toShellWord('/plain/path-1.log')).toBe('/plain/path-1.log');
});

test('commands become one line for tmux', () => {
  expect(toTmuxText([['a', "b'c"], ['d\n e;']])).toBe(`'a' 'b'"'"'c' ; 'd'"\\n"' e;'\n`);
});

test('a plain format is nothing that tmux expands', () => {
  expect(toPlainFormat('#{a} ## b')).toBe('##{a} #### b');
});
