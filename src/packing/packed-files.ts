// Run by `npm pack` and `npm publish`: `prepack` makes the links and pictures of README.md absolute and renames the script `prepare` of
// package.json, `postpack` undoes both.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The repository of the package at the tag of its version, as package.json names them. */
export interface PublishedTree {
  /** `https://github.com/<owner>/<name>`. */
  readonly repository: string;
  /** `v` and the version. */
  readonly tag: string;
}

/** Matches links and images in Markdown and HTML: the opening markup and the target. */
const links = /(?<before>(?<image>!?)\[[^\]]*\]\(|(?<attribute>src|srcset|href)=")(?<target>[^)"\s]+)/g;
const picture = /\.(svg|png|gif|jpe?g)$/;

/** Reads from package.json where the tree of the package will be found. */
export function readPublishedTree(root: string): PublishedTree {
  const { repository, version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    repository: { url: string };
    version: string;
  };
  return { repository: repository.url.replace(/^git\+/, '').replace(/\.git$/, ''), tag: `v${version}` };
}

/** Makes relative links absolute: pages to the tree of the tag, pictures to their bytes. Anchors stay. */
export function toAbsoluteLinks(text: string, tree: PublishedTree): string {
  return text.replaceAll(links, (link, before: string, image: string, attribute: string, target: string) => {
    if (/^(#|[a-z]+:)/.test(target)) return link;
    const isPicture = image === '!' || attribute?.startsWith('src') || picture.test(target);
    return `${before}${isPicture ? pictureUrl(tree) : pageUrl(tree)}${target}`;
  });
}

/** Makes the links of `toAbsoluteLinks` relative again. */
export function toRelativeLinks(text: string, tree: PublishedTree): string {
  return text.replaceAll(pictureUrl(tree), '').replaceAll(pageUrl(tree), '');
}

function pageUrl({ repository, tag }: PublishedTree): string {
  return `${repository}/blob/${tag}/`;
}

function pictureUrl({ repository, tag }: PublishedTree): string {
  return `${repository.replace('//github.com/', '//raw.githubusercontent.com/')}/${tag}/`;
}

/** The script `prepare` has another name in the package: npm prints a warning for it at each install, and only clones need it. */
const scriptNames = { inClones: '"prepare":', packed: '"prepare-clone":' };

if (import.meta.main) {
  const root = join(import.meta.dirname, '../..');
  const change = (file: string, toChanged: (text: string) => string) =>
    writeFileSync(join(root, file), toChanged(readFileSync(join(root, file), 'utf8')));
  const tree = readPublishedTree(root);
  const { inClones, packed } = scriptNames;
  if (process.argv[2] === 'restore') {
    change('README.md', (text) => toRelativeLinks(text, tree));
    change('package.json', (text) => text.replace(packed, inClones));
  } else {
    change('README.md', (text) => toAbsoluteLinks(text, tree));
    change('package.json', (text) => text.replace(inClones, packed));
  }
}
