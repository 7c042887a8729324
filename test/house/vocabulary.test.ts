import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { expect, test } from 'vitest';
import { listSourceFiles, rootFolder } from './source-imports.ts';

/** Names that say nothing of what is inside. */
const emptyWords = /(^|[-.])(utils?|helpers?|common|managers?|handlers?|info)([-.]|$)/;

test('no file has a name that says nothing', () => {
  const files = [...listSourceFiles('machines'), ...listSourceFiles('src')];

  const empty = files.filter((file) => file.split('/').some((part) => emptyWords.test(part)));

  expect(empty.map((file) => `${file}: name it after what it is`).join('\n')).toBe('');
});

test('file names are words joined by hyphens', () => {
  const files = [...listSourceFiles('machines'), ...listSourceFiles('src')];

  const odd = files.filter((file) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)?\.tsx?$/.test(basename(file)));

  expect(odd.map((file) => `${file}: write it in kebab-case`).join('\n')).toBe('');
});

/** Words for which ours are process, supervisor, conversation, and whatever the thing is. */
const avoidedWords = /\b(tasks?|jobs?|managers?|handlers?|helpers?|utils?)\b/gi;

test.each(['README.md', 'CHANGELOG.md', ...listTexts('docs'), ...listTexts('examples')])(
  '%s keeps to our words',
  (file) => {
    const words = findAvoidedWords(readFileSync(join(rootFolder, file), 'utf8'));

    expect(words).toEqual([]);
  },
);

test.each([
  ['a helper runs', ['helper']],
  ['const runJob = createTaskHandler()', ['Job', 'Task', 'Handler']],
  ["import { inspect } from 'node:util'; process.on('unhandledRejection', stop)", []],
  ['`taskkill` and `Node.js Utils`', []],
])('in %j the avoided words are %j', (text, words) => {
  expect(findAvoidedWords(text)).toEqual(words);
});

/** Words of a camelCase name count one by one. What is quoted as code in a text, and a module of Node, is somebody else's name. */
function findAvoidedWords(text: string): readonly string[] {
  const own = text.replaceAll(/`[^`\n]*`|node:\w+/g, '').replaceAll(/([a-z])(?=[A-Z])/g, '$1 ');
  return own.match(avoidedWords) ?? [];
}

function listTexts(folder: string): readonly string[] {
  return readdirSync(join(rootFolder, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.(md|ts)$/.test(entry.name))
    .map((entry) => relative(rootFolder, join(entry.parentPath, entry.name)))
    .sort();
}
