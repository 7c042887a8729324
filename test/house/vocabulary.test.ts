import { basename } from 'node:path';
import { expect, test } from 'vitest';
import { listSourceFiles } from './source-imports.ts';

/** Words in a file name that do not describe its content. */
const emptyWords = /(^|[-.])(utils?|common|info)([-.]|$)/;

test('each file name describes its content', () => {
  const files = [...listSourceFiles('machines'), ...listSourceFiles('src')];

  const empty = files.filter((file) => file.split('/').some((part) => emptyWords.test(part)));

  expect(empty.map((file) => `${file}: name it after what it is`).join('\n')).toBe('');
});

test('file names are words joined by hyphens', () => {
  const files = [...listSourceFiles('machines'), ...listSourceFiles('src')];

  const odd = files.filter((file) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)?\.tsx?$/.test(basename(file)));

  expect(odd.map((file) => `${file}: write it in kebab-case`).join('\n')).toBe('');
});
