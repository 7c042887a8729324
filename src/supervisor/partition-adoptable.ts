import { quote } from '../config/quote.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import type { Unavailable } from '../spawn/terminal/terminal-deps.ts';
import { isSameScope } from '../spawn/tree/identity.ts';
import { findRecordedBackend } from './plan-recorded.ts';
import type { SupervisorDeps } from './supervisor-deps.ts';

const MAX_NAMED = 3;

/** Records that need one backend which is unavailable. */
interface Unadoptable {
  readonly obstacle: Unavailable & { readonly mode: string };
  readonly records: readonly ProcessRecord[];
}

/**
 * Separates live persistent processes whose backend is unavailable here. They may be alive, so their records
 * stay unchanged for a supervisor that has the backend.
 */
export function partitionAdoptable(
  records: readonly ProcessRecord[],
  deps: SupervisorDeps,
): { readonly adoptable: readonly ProcessRecord[]; readonly problems: readonly string[] } {
  const adoptable: ProcessRecord[] = [];
  const others = new Map<string, Unadoptable>();
  for (const record of records) {
    const backend = mayLive(record, deps) ? findRecordedBackend(record, deps) : null;
    if (backend === null || !('why' in backend)) adoptable.push(record);
    else {
      const { mode } = record.view;
      const records = others.get(mode)?.records ?? [];
      others.set(mode, { obstacle: { ...backend, mode }, records: [...records, record] });
    }
  }
  return { adoptable, problems: [...others.values()].map(toProblem) };
}

/** Returns `true` if the process may still be alive; only then its backend is needed. */
function mayLive({ view, revival, scope }: ProcessRecord, deps: SupervisorDeps): boolean {
  return (
    !('endedAt' in view) && revival !== null && (view.mode === 'remote' || isSameScope(scope, deps.scope))
  );
}

function toProblem({ obstacle, records }: Unadoptable): string {
  const ids = records.map(({ view }) => view.id);
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '';
  const named = `${ids.slice(0, MAX_NAMED).join(', ')}${more}`;
  const { why, remedy, mode } = obstacle;
  const where = mode === 'tmux' ? 'in tmux' : `by the backend ${quote(mode)}`;
  return ids.length === 1
    ? `Process ${named} was left as it is: it was started ${where}, and ${why}. ${remedy}: the next supervisor then adopts it. "troupe kill ${named}" ends it.`
    : `${ids.length} processes were left as they are: ${named}. They were started ${where}, and ${why}. ${remedy}: the next supervisor then adopts them. "troupe kill ${ids.join(' ')}" ends them.`;
}
