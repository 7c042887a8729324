import { quote } from '../config/quote.ts';
import type { ProcessRecord } from '../process/process-record.ts';
import type { Unavailable } from '../spawn/terminal/terminal-deps.ts';
import { isSameScope } from '../spawn/tree/identity.ts';
import { findRecordedBackend } from './plan-recorded.ts';
import type { SupervisorDeps } from './supervisor-deps.ts';

const MAX_NAMED = 3;

/** Of one backend. */
interface Apart {
  readonly obstacle: Unavailable & { readonly mode: string };
  readonly records: readonly ProcessRecord[];
}

/**
 * Sets apart what is to live on and cannot be taken over here. Whoever claimed it could only declare it lost, while it may be alive: so
 * its record stays as it is, for a supervisor that has what it needs.
 */
export function setApart(
  records: readonly ProcessRecord[],
  deps: SupervisorDeps,
): { readonly within: readonly ProcessRecord[]; readonly problems: readonly string[] } {
  const within: ProcessRecord[] = [];
  const apart = new Map<string, Apart>();
  for (const record of records) {
    const backend = mayLive(record, deps) ? findRecordedBackend(record, deps) : null;
    if (backend === null || !('why' in backend)) within.push(record);
    else {
      const { mode } = record.view;
      const records = apart.get(mode)?.records ?? [];
      apart.set(mode, { obstacle: { ...backend, mode }, records: [...records, record] });
    }
  }
  return { within, problems: [...apart.values()].map(toProblem) };
}

/** What has ended, was to end with its supervisor, or ran before the machine was started anew needs nobody who could run it. */
function mayLive({ view, revival, scope }: ProcessRecord, deps: SupervisorDeps): boolean {
  return !('endedAt' in view) && revival !== null && isSameScope(scope, deps.scope);
}

function toProblem({ obstacle, records }: Apart): string {
  const ids = records.map(({ view }) => view.id);
  const more = ids.length > MAX_NAMED ? ` and ${ids.length - MAX_NAMED} more` : '';
  const named = `${ids.slice(0, MAX_NAMED).join(', ')}${more}`;
  const { why, remedy, mode } = obstacle;
  const where = mode === 'tmux' ? 'in tmux' : `by the backend ${quote(mode)}`;
  return ids.length === 1
    ? `Process ${named} was left as it is: it was started ${where}, and ${why}. ${remedy}: the next supervisor then goes on with it. "troupe kill ${named}" ends it.`
    : `${ids.length} processes were left as they are: ${named}. They were started ${where}, and ${why}. ${remedy}: the next supervisor then goes on with them. "troupe kill ${ids.join(' ')}" ends them.`;
}
