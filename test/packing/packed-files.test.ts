import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readDoors } from '../../src/packing/doors.ts';
import { keepLines } from '../../src/packing/keep-lines.ts';
import { readPublishedTree, toAbsoluteLinks, toRelativeLinks } from '../../src/packing/packed-files.ts';
import { replacePlaces } from '../../src/packing/replace-places.ts';

const tree = { repository: 'https://github.com/a/b', tag: 'v1.2.3' };
const page = 'https://github.com/a/b/blob/v1.2.3/';
const bytes = 'https://raw.githubusercontent.com/a/b/v1.2.3/';

test.each([
  ['[guide](docs/guide.md)', `[guide](${page}docs/guide.md)`],
  ['[part](docs/guide.md#part)', `[part](${page}docs/guide.md#part)`],
  ['![chart](docs/chart.svg)', `![chart](${bytes}docs/chart.svg)`],
  ['![odd](docs/chart)', `![odd](${bytes}docs/chart)`],
  ['[chart](docs/chart.png)', `[chart](${bytes}docs/chart.png)`],
  [
    '[chart](docs/chart.jpg) [c](c.jpeg) [g](g.gif)',
    `[chart](${bytes}docs/chart.jpg) [c](${bytes}c.jpeg) [g](${bytes}g.gif)`,
  ],
  ['[list](docs/svg.md)', `[list](${page}docs/svg.md)`],
  ['<img src="docs/chart">', `<img src="${bytes}docs/chart">`],
  ['<source srcset="docs/dark.svg">', `<source srcset="${bytes}docs/dark.svg">`],
  ['<a href="docs/guide.md">', `<a href="${page}docs/guide.md">`],
])('the link %s is made absolute, and relative again', (link, absolute) => {
  const text = `before ${link} after\n${link}`;

  const packed = toAbsoluteLinks(text, tree);

  expect(packed).toBe(`before ${absolute} after\n${absolute}`);
  expect(toRelativeLinks(packed, tree)).toBe(text);
});

test.each([
  '[part](#part)',
  '[site](https://example.com/a.png)',
  '[mail](mailto:a@b)',
  'text (docs/guide.md)',
  '[no link]: docs/guide.md',
])('%s stays as it is', (text) => {
  expect(toAbsoluteLinks(text, tree)).toBe(text);
});

test('the tree of the package is that of its repository and version', () => {
  const folder = mkdtempSync(join(tmpdir(), 'troupe-packed-'));
  const write = (url: string) =>
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ repository: { url }, version: '1.2.3' }));

  write('git+https://github.com/a/b.git');
  const found = readPublishedTree(folder);
  write('https://github.com/a/b');
  const plain = readPublishedTree(folder);

  rmSync(folder, { recursive: true });
  expect([found, plain]).toEqual([tree, tree]);
});

test('each door of the package is compiled from a source', () => {
  const { exports } = JSON.parse(readFileSync('package.json', 'utf8')) as { exports: object };
  const doors = readDoors();

  expect(doors).toMatchObject({
    index: 'src/index.ts',
    mcp: 'src/mcp/index.ts',
    machines: 'machines/index.ts',
    'ai-sdk': 'src/adapters/ai-sdk.ts',
  });
  expect(Object.keys(doors)).toHaveLength(Object.keys(exports).length - 1);
  for (const source of Object.values(doors)) expect(readFileSync(source, 'utf8')).not.toBe('');
});

test('a source map maps each line to itself', () => {
  expect(keepLines('a\nb\n', '/a.ts')).toEqual({
    code: 'a\nb\n',
    map: { version: 3, sources: ['/a.ts'], names: [], mappings: 'AAAA;AACA;AACA' },
  });
});

test('a module is told another place, in its code only', () => {
  const places = { url: 'URL', filename: 'FILE', dirname: 'DIR' };
  const code = [
    'const a: string = import.meta.url + import.meta.filename;',
    'const b = import.meta.dirname; // import.meta.url',
    "const c = 'import.meta.url';",
    'const d = import.meta.main, e = other.meta.url;',
  ].join('\n');

  expect(replacePlaces(code, { id: '/a.ts', places })).toBe(
    [
      'const a: string = URL + FILE;',
      'const b = DIR; // import.meta.url',
      "const c = 'import.meta.url';",
      'const d = import.meta.main, e = other.meta.url;',
    ].join('\n'),
  );
});
