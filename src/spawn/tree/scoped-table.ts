import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isOwnId } from '../../config/own-id.ts';
import type { ProcessTable } from './process-table.ts';

/**
 * Translates ids to their marks in lineages, which all projects of a machine share. An id that troupe gave is unique; an id of a caller's
 * choice may be in use in another state directory, whose processes must not be taken for ours.
 */
export type ToMark = (id: string) => string;

/** Returns the translation for a state directory, or for a supervisor without one. Every path to a directory gives the same marks. */
export function createMarks(
  place: { readonly directory: string } | { readonly supervisorId: string },
): ToMark {
  let suffix: string | null = null;
  return (id) => {
    if (!isOwnId(id)) return id;
    suffix ??= 'directory' in place ? toDigest(toRealPath(place.directory)) : place.supervisorId;
    return `${id}.${suffix}`;
  };
}

/** Returns the table with cookies of ids, such as `/build/`, translated to those of their marks. */
export function createScopedTable(table: ProcessTable, toMark: ToMark): ProcessTable {
  const toMarked = (cookie: string) => `/${toMark(cookie.slice(1, -1))}/`;
  return {
    ...table,
    filterCarriers: (cookie, entries) => table.filterCarriers(toMarked(cookie), entries),
    filterForeign: (cookie, entries) => table.filterForeign(toMarked(cookie), entries),
  };
}

function toDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

/** Resolves links as far as the path exists. */
export function toRealPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    const parent = dirname(path);
    return parent === path ? path : join(toRealPath(parent), basename(path));
  }
}
