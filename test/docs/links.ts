import { existsSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** A link of a Markdown file: where it stands (`README.md:12`) and where it leads. */
export interface Link {
  readonly place: string;
  readonly target: string;
}

const fence = /^ *```.*?^ *```$/gms;

/** Returns all links and pictures of a Markdown text, those in HTML too, and none in code. */
export function listLinks(file: string, text: string): readonly Link[] {
  const prose = text.replaceAll(fence, blank).replaceAll(/`[^`\n]*`/g, blank);
  const found = prose.matchAll(/\]\((?<markdown>[^)\s]+)[^)]*\)|\b(?:src|srcset|href)="(?<html>[^"\s]+)"/g);
  return [...found].map((match) => ({
    place: `${file}:${prose.slice(0, match.index).split('\n').length}`,
    target: match.groups?.['markdown'] ?? match.groups?.['html'] ?? '',
  }));
}

/** Returns a sentence for a link that leads nowhere in the tree, and `null` for one that does, or leads to another host. */
export function findFault(root: string, { place, target }: Link): string | null {
  if (/^[a-z]+:/.test(target)) return null;
  const from = place.slice(0, place.lastIndexOf(':'));
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? from : normalize(join(dirname(from), path));
  if (file.startsWith('..') || !existsSync(join(root, file))) return `${place}: there is no ${file}`;
  if (anchor === undefined) return null;
  if (statSync(join(root, file)).isDirectory() || !file.endsWith('.md'))
    return `${place}: only Markdown files have anchors, not ${file}`;
  return listAnchors(readFileSync(join(root, file), 'utf8')).has(anchor)
    ? null
    : `${place}: ${file} has no heading #${anchor}`;
}

/** Returns the anchors of a page as GitHub makes them: of its headings, numbered if they repeat, and of `<a id>`. */
export function listAnchors(text: string): ReadonlySet<string> {
  const prose = text.replaceAll(fence, blank);
  const anchors = new Set<string>();
  for (const [, heading = ''] of prose.matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const slug = toSlug(heading);
    let name = slug;
    for (let count = 1; anchors.has(name); count += 1) name = `${slug}-${count}`;
    anchors.add(name);
  }
  for (const [, id = ''] of prose.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}

function toSlug(heading: string): string {
  return heading
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');
}

/** Blanks what is no prose, and keeps its lines. */
function blank(code: string): string {
  return code.replaceAll(/[^\n]/g, ' ');
}
