import { nearest } from '../config/nearest.ts';
import { quote } from '../config/quote.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import type { ToolContext } from './tool.ts';

/** Matches possible process ids; other text is shown quoted. */
const ID = /^[\w-]{1,64}$/;

/** Matches our own id format: an unknown id of this form is an old one. */
const OUR_ID = /^(tool|agent|service)_[a-z0-9]{8}$/;

/**
 * Finds a process by id, or returns the answer that it does not exist. Processes outside the owner's subtree are not
 * found.
 */
export function findProcess(
  id: string,
  { supervisor, owner }: Pick<ToolContext, 'supervisor' | 'owner'>,
): ProcessHandle | { readonly ok: false; readonly error: string; readonly worked: true } {
  const handle = supervisor.get(id);
  if (handle !== undefined && supervisor.isWithin(handle.view().owner, owner)) return handle;
  const ids = supervisor.list({ owner, children: true }).map((view) => view.id);
  const shown = ID.test(id) ? id : quote(id);
  return { ok: false, error: `Process ${shown} not found. ${suggest(id, ids)}`, worked: true };
}

function suggest(id: string, ids: readonly string[]): string {
  const forgotten = OUR_ID.test(id) ? ' A process that ended long ago is forgotten.' : '';
  if (ids.length === 0) return `There are no processes.${forgotten}`;
  const partial = ids.filter((known) => id.length > 2 && (known.includes(id) || id.includes(known)));
  const close = nearest(id, ids);
  const meant = [...new Set([...partial, ...(close === null ? [] : [close])])].slice(0, 3);
  if (meant.length > 0) return `Did you mean ${meant.join(' or ')}?`;
  return `Known ids: ${ids.slice(0, 3).join(', ')}${ids.length > 3 ? ', …' : ''}.${forgotten}`;
}
