import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { findViolations, loadedWithDoor } from './import-rule.ts';
import { listSourceFiles, parseImports, readImports, rootFolder } from './source-imports.ts';

/** What everybody who imports troupe pays for. execa and the optional parts come when they are used. */
const paidByEverybody = ['xstate', 'rxjs', 'zod', 'nanoid', 'picomatch'];

/** All sources are parsed, which takes seconds, and far more where others want the processor. */
const PARSING = { timeout: 120_000 };

describe('the import rule', () => {
  test('holds in every file', PARSING, () => {
    const files = [...listSourceFiles('machines'), ...listSourceFiles('src')];

    const violations = findViolations(files.flatMap(readImports));

    expect(violations.join('\n')).toBe('');
  });

  test.each([
    ['src/output/ring.ts', "import { run } from '../process/run.ts'", 'process stands after output'],
    ['src/output/ring.ts', "import type { Run } from '../process/run.ts'", 'process stands after output'],
    ['src/tools/read.ts', "const { x } = await import('../cli/main.ts')", 'cli stands after tools'],
    ['machines/process/a.ts', "import { readFile } from 'node:fs'", 'may use xstate and its own files'],
    ['machines/process/a.ts', "import { log } from '../../src/config/log.ts'", 'may use xstate and its own'],
    ['src/process/run.ts', "export * from '../testing/clock.ts'", 'for tests only'],
    ['src/process/run.ts', "import { troupe } from '../index.ts'", 'nothing inside imports the door'],
    ['src/index.ts', "export { main } from './cli/main.ts'", 'has a door of its own'],
    ['src/process/run.ts', "import { a } from '../attic/a.ts'", '"attic" has no place'],
    ['src/clock/clock.ts', "import { a } from './clock.ts'", 'a cycle'],
  ])('refuses in %s: %s', (file, text, sentence) => {
    const violations = findViolations(parseImports(file, text));

    expect(violations).toHaveLength(1);
    expect(violations[0]).toContain(sentence);
  });

  test.each([
    ['src/process/run.ts', "import { ring } from '../output/ring.ts'"],
    ['src/spawn/pipe/pipe.ts', "import { ring } from '../../output/ring.ts'"],
    ['machines/process/a.ts', "import type { Log } from '../../src/config/log.ts'"],
    ['src/testing/clock.ts', "import { main } from '../cli/main.ts'"],
    ['src/index.ts', "export { decide } from './policy/decide.ts'"],
  ])('allows in %s: %s', (file, text) => {
    expect(findViolations(parseImports(file, text))).toEqual([]);
  });
});

test('programs are started in one file', PARSING, () => {
  const imports = listSourceFiles('src')
    .flatMap(readImports)
    .filter(({ kind }) => kind !== 'type');

  const starting = imports.filter(({ to }) => to === 'node:child_process' || to === 'execa');

  // What starts one elsewhere hands the masters of open terminals on.
  expect(new Set(starting.map(({ from }) => from))).toEqual(new Set(['src/spawn/start-child.ts']));
});

describe('importing troupe', () => {
  test.runIf(existsSync(join(rootFolder, 'src/index.ts')))('loads no optional part', PARSING, () => {
    const loaded = loadedWithDoor(readImports);

    const unexpected = [...loaded].filter(([name]) => !isPaidByEverybody(name));
    const sentences = unexpected.map(([name, file]) => `${file} loads ${name}: import it where it is used`);
    expect(sentences.join('\n')).toBe('');
  });

  test('follows static imports and no others', () => {
    const files: Record<string, string> = {
      'src/index.ts': "export { a } from './a.ts'; export type { T } from 'typed';",
      'src/a.ts': "import 'heavy'; const late = () => import('later');",
    };

    const loaded = loadedWithDoor((file) => parseImports(file, files[file] ?? ''));

    expect([...loaded]).toEqual([['heavy', 'src/a.ts']]);
  });
});

function isPaidByEverybody(name: string): boolean {
  return (
    name.startsWith('node:') || paidByEverybody.some((paid) => name === paid || name.startsWith(`${paid}/`))
  );
}
