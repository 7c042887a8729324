import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readPublishedTree, toAbsoluteLinks, toRelativeLinks } from '../../src/packing/packed-files.ts';
import { findFault, listAnchors, listLinks } from './links.ts';

const root = join(import.meta.dirname, '../..');
const pages = ['*.md', 'docs/**/*.md', 'examples/**/*.md']
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .sort();
const links = pages.flatMap((page) => listLinks(page, readFileSync(join(root, page), 'utf8')));
const tree = readPublishedTree(root);
const readme = readFileSync(join(root, 'README.md'), 'utf8');

describe('links in the documentation', () => {
  test('relative links lead to files and headings', () => {
    const faults = links.map((link) => findFault(root, link)).filter((fault) => fault !== null);

    expect(links.length).toBeGreaterThan(100);
    expect(faults).toEqual([]);
  });

  test('the repository has the address that package.json gives', () => {
    const { homepage, bugs } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const addresses = links
      .filter(({ target }) => /github(usercontent)?\.com\/[^/]+\/troupe\b/.test(target))
      .filter(({ target }) => !new RegExp(`^${tree.repository}(/|\\.git|#|$)`).test(target));

    expect([homepage, bugs.url].every((url) => url.startsWith(tree.repository))).toBe(true);
    expect(addresses).toEqual([]);
  });

  test.for([
    ['a link to a missing file', '[a](docs/missing.md)', 'x.md:1: there is no docs/missing.md'],
    ['a link to a missing heading', '[a](README.md#nowhere)', 'x.md:1: README.md has no heading #nowhere'],
    ['a missing picture in HTML', '\n<img src="docs/no.svg">', 'x.md:2: there is no docs/no.svg'],
    ['a link out of the tree', '[a](../other.md)', 'x.md:1: there is no ../other.md'],
  ] as const)('%s is reported', ([, text, fault]) => {
    const found = listLinks('x.md', text).map((link) => findFault(root, link));

    expect(found).toEqual([fault]);
  });

  test('code has no links', () => {
    const found = listLinks('x.md', 'Say `[a](b)`.\n```md\n[a](b)\n```\n[c](d)\n');

    expect(found).toEqual([{ place: 'x.md:5', target: 'd' }]);
  });

  test('headings have the anchors of GitHub', () => {
    const anchors = listAnchors('# A `b` & C\n## Keys, and tokens\n## Keys, and tokens\n');

    expect([...anchors]).toEqual(['a-b--c', 'keys-and-tokens', 'keys-and-tokens-1']);
  });
});

describe('the README of the package', () => {
  const packed = toAbsoluteLinks(readme, tree);

  test('has absolute links to files of the tree', () => {
    const relative = toRelativeLinks(packed, tree);
    const targets = listLinks('README.md', packed).filter(({ target }) => !target.startsWith('#'));

    expect(targets.filter(({ target }) => !/^https:/.test(target))).toEqual([]);
    expect(targets.some(({ target }) => target.startsWith(`${tree.repository}/blob/${tree.tag}/docs/`))).toBe(
      true,
    );
    expect(relative).toBe(readme);
  });

  test('leads pictures to their bytes and pages to their pages', () => {
    const text = '![a](b.svg) [c](d.md#e) <img src="f.png"> [g](#h) [i](https://j.org/k)';

    const absolute = toAbsoluteLinks(text, { repository: 'https://github.com/x/y', tag: 'v1.2.3' });

    expect(absolute).toBe(
      '![a](https://raw.githubusercontent.com/x/y/v1.2.3/b.svg) [c](https://github.com/x/y/blob/v1.2.3/d.md#e) ' +
        '<img src="https://raw.githubusercontent.com/x/y/v1.2.3/f.png"> [g](#h) [i](https://j.org/k)',
    );
  });
});
