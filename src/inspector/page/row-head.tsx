import { formatBytes } from '../../output/cut-text.ts';
import type { StageRow } from './stage.ts';
import { about, at, travel, usage } from './state.ts';
import { toEndWord, toName, toRuntime } from './words.ts';

/** Room for a level of the tree, in pixels. */
const INDENT_PX = 14;

/** Names the program of a supervisor, with its pid while it is alive. */
function toProgram(supervisor: string): string {
  const found = about.value?.supervisors.find(({ id }) => id === supervisor);
  if (found === undefined) return 'supervisor';
  return `${found.role === 'daemon' ? 'daemon' : 'supervisor'} · pid ${found.pid}`;
}

/** Left half of a row: who it is, and how it is. */
export function RowHead({ row }: { readonly row: StageRow }) {
  const indent = { paddingLeft: `${row.level * INDENT_PX}px` };
  if (row.type === 'supervisor') {
    const isShared = row.supervisors > 1;
    return (
      <div class="cell" role="gridcell" style={indent}>
        <span class="name">{isShared ? `${row.supervisors} supervisors` : row.id}</span>
        <span class="note">
          {isShared ? 'without a live process' : toProgram(row.id)}
          <Counts of={row} />
        </span>
      </div>
    );
  }
  if (row.type === 'owner') {
    const { conversation } = row;
    return (
      <div class="cell" role="gridcell" style={indent}>
        <i class={`dot agent ${conversation?.status ?? ''}`} />
        <span class="name">{row.id}</span>
        <span class="note">
          {conversation !== null ? conversation.status : 'owner'}
          <Counts of={row} />
          {conversation !== null &&
            conversation.inbox.length > 0 &&
            ` · ${conversation.inbox.length} in the inbox`}
        </span>
      </div>
    );
  }
  if (row.type === 'machine') {
    const { machine, spans } = row;
    return (
      <div class="cell" role="gridcell" style={indent}>
        <i class={`dot agent ${machine.status === 'active' ? 'acting' : ''}`} />
        <span class="name">{machine.name}</span>
        <span class="note">
          machine · {spans.at(-1)?.text} {machine.status === 'active' ? '' : `· ${machine.status}`}
        </span>
      </div>
    );
  }
  const { view, status, endedAt } = row;
  const isLive = endedAt === null;
  const figures = isLive && travel.value === null ? usage.value[row.id] : undefined;
  const ports = figures?.ports ?? [];
  return (
    <div class="cell" role="gridcell" style={indent}>
      <i class={`dot ${status}`} title={status} />
      <span class="name">{toName(view)}</span>
      <span class="command">{view.commandLine}</span>
      {view.awaitsInput !== null && travel.value === null && (
        <span class="badge waits" title={view.awaitsInput.prompt ?? ''}>
          waits for{' '}
          {view.awaitsInput.kind === 'secret'
            ? 'a secret'
            : view.awaitsInput.kind === 'key'
              ? 'a key'
              : 'a line'}
        </span>
      )}
      {ports.length > 0 && <span class="badge">{ports.map((port) => `:${port}`).join(' ')}</span>}
      {endedAt !== null && 'leftovers' in view && view.leftovers.length > 0 && (
        <span class="badge bad">{view.leftovers.length} left over</span>
      )}
      <span class="figures">
        {endedAt !== null ? (
          <span class={`end ${status}`}>{toEndWord(view)}</span>
        ) : (
          <span>
            {status === 'running' || status === 'backgrounded'
              ? toRuntime(row, at.value)
              : status.replace('_', ' ')}
          </span>
        )}
        <span class="cpu">{figures?.cpuShare == null ? '' : `${Math.round(figures.cpuShare * 100)} %`}</span>
        <span class="memory">{figures === undefined ? '' : formatBytes(figures.memoryBytes)}</span>
      </span>
    </div>
  );
}

function Counts({
  of: { live, ended, failed },
}: {
  readonly of: { readonly live: number; readonly ended: number; readonly failed: number };
}) {
  return (
    <>
      {live > 0 && ` · ${live} live`}
      {ended > 0 && ` · ${ended} ended`}
      {failed > 0 && <b class="bad"> · {failed} failed</b>}
    </>
  );
}
