import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bundledProgram } from '../support/os.ts';
import {
  checkExamples,
  type Example,
  listExamples,
  parseExamples,
  readEntryPoints,
  rootFolder,
} from './examples.ts';

const folder = mkdtempSync(join(tmpdir(), 'troupe-docs-'));
const fence = '```';

/** Bundled file of each entry point. The compiler checks against the sources instead. */
const bundled = Object.fromEntries(
  Object.keys(readEntryPoints()).map((specifier) => {
    const door = specifier === 'troupe' ? 'index' : specifier.slice('troupe/'.length);
    return [specifier, bundledProgram(`library/${door}.js`)];
  }),
);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('examples in the documentation', () => {
  /** The compiler is started once, with all examples and one that is wrong on purpose. */
  const wrong: Example = {
    place: 'wrong.md:7',
    code: "import { processMachine } from 'troupe/machines';\n\nconst id: number = processMachine.id;\n",
    runs: false,
  };
  let complaints: readonly string[] = [];

  beforeAll(() => {
    complaints = checkExamples([wrong, ...listExamples()]);
  }, 300_000);

  test('compile', () => {
    const serious = complaints.filter((complaint) => !complaint.startsWith('wrong.md'));

    expect(serious.join('\n')).toBe('');
  });

  test('are complained of at their place', () => {
    const expected = complaints.filter((complaint) => complaint.startsWith('wrong.md'));

    expect(expected).toEqual(["wrong.md:10: Type 'string' is not assignable to type 'number'."]);
  });

  test('use no syntax newer than Node 22.12', () => {
    const newer = listExamples().filter(({ code }) => /\busing \w+ =/.test(code));

    expect(newer.map(({ place }) => place)).toEqual([]);
  });

  test('import nothing that a project with troupe does not have', () => {
    const installed = /^(node:|troupe(\/|$)|@modelcontextprotocol\/client$|ai$|xstate$)/;
    // The page on the architecture is for a clone.
    const forUsers = listExamples().filter(({ place }) => !place.startsWith('docs/architecture'));
    const others = forUsers.flatMap(({ place, code }) =>
      [...code.matchAll(/^import .*? from '(.+?)';$/gms)]
        .filter(([, specifier = '']) => !installed.test(specifier))
        .map(([, specifier]) => `${place}: ${specifier}`),
    );

    expect(others).toEqual([]);
  });

  const running = Object.groupBy(
    listExamples().filter(({ runs }) => runs),
    ({ place }) => place.split(':')[0] ?? '',
  );
  test.for(Object.entries(running))('of %s run to their ends', { timeout: 240_000 }, ([, examples = []]) => {
    const { status, stderr } = runExamples(examples);

    const ended = examples.map(({ place }) => `${place} has ended\n`).join('');
    expect({ status, stderr }).toEqual({ status: 0, stderr: ended });
  });
});

describe('the examples check', () => {
  test('finds blocks with their places', () => {
    const text = `# Title\n\n${fence}ts\nconst a = 1;\n${fence}\n\n${fence}sh\nls\n${fence}\n${fence}ts run\nconst b = 2;\n${fence}\n`;

    const examples = parseExamples('README.md', text);

    expect(examples).toEqual([
      { place: 'README.md:3', code: 'const a = 1;\n', runs: false },
      { place: 'README.md:10', code: 'const b = 2;\n', runs: true },
    ]);
  });

  test('runs an example on the library', { timeout: 60_000 }, () => {
    const right =
      "import { processMachine } from 'troupe/machines';\nimport 'xstate';\nif (processMachine.id !== 'process') process.exit(3);\n";

    const ended = runExamples([{ place: 'docs/a.md:1', code: right, runs: true }]);
    const failed = runExamples([
      { place: 'docs/a.md:1', code: right, runs: true },
      { place: 'docs/a.md:9', code: 'process.exit(3);', runs: true },
    ]);

    expect(ended).toEqual({ status: 0, stderr: 'docs/a.md:1 has ended\n' });
    expect(failed).toEqual({ status: 3, stderr: 'docs/a.md:1 has ended\n' });
  });
});

/** Runs the examples of a page one after another in one program, which must exit by itself. */
function runExamples(examples: readonly Example[]): { status: number | null; stderr: string } {
  const page = join(folder, 'page.mjs');
  const steps = examples.map(({ place, code }, index) => {
    writeFileSync(join(folder, `example-${index}.mjs`), stripTypeScriptTypes(code));
    return `await import('./example-${index}.mjs');\nconsole.error('${place} has ended');\n`;
  });
  writeFileSync(page, steps.join(''));
  const preload = join(import.meta.dirname, 'from-bundle.mjs');
  const settings = JSON.stringify({ root: rootFolder, entryPoints: bundled });
  const { status, stderr } = spawnSync(process.execPath, ['--import', preload, page], {
    cwd: folder,
    encoding: 'utf8',
    timeout: 230_000,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, TROUPE_EXAMPLE: settings },
  });
  return { status, stderr };
}
