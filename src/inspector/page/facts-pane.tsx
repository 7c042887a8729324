import { formatDuration } from '../../config/format-duration.ts';
import { formatBytes } from '../../output/cut-text.ts';
import { describeFinalUsage, describeLimits, describeUsage } from '../../process/describe-usage.ts';
import { type ProcessView, toPausedAt } from '../../process/process-view.ts';
import type { StagedProcess } from './staged-process.ts';
import { at, live, select, travel, travelTo, usage } from './state.ts';
import { toClock, toEndClause, toRuntime } from './words.ts';

/** Facts of a process, and its timeline until the shown moment. */
export function FactsPane({ process }: { readonly process: StagedProcess }) {
  const { view } = process;
  const timeline = (live.value.timelines[view.id] ?? []).filter((entry) => entry.at <= at.value);
  return (
    <div class="facts">
      <dl>
        {toFacts(process).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
        <div>
          <dt>owner</dt>
          <dd>
            <button
              type="button"
              class="link"
              onClick={() => select({ type: 'conversation', id: view.owner })}
            >
              {view.owner}
            </button>{' '}
            · lifetime {view.lifetime}
          </dd>
        </div>
      </dl>
      <h3>what happened</h3>
      <ol class="timeline">
        {timeline.map((entry, index) => (
          <li key={`${entry.at} ${index}`}>
            <button type="button" class="link" title="Show this moment" onClick={() => travelTo(entry.at)}>
              {toClock(entry.at, 1)}
            </button>
            <span class="since">+{formatDuration(entry.at - view.createdAt)}</span>
            <b>{entry.type.replace('process.', '')}</b> {entry.detail ?? ''}{' '}
            {entry.by === undefined ? '' : `by the ${entry.by}`}
            {entry.cause !== undefined && (
              <small>
                {' '}
                on {[entry.cause.event, ...entry.cause.guards.map((guard) => `[${guard}]`)].join(' ')}
              </small>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}

type Fact = readonly [name: string, value: string];

function toFacts(process: StagedProcess): readonly Fact[] {
  const { view, status } = process;
  const end = process.endedAt === null ? null : toEndClause(view);
  const pausedAt = toPausedAt(view);
  const members = (list: readonly { readonly pid: number; readonly command: string }[]) =>
    list.map(({ pid, command }) => `${pid} ${command}`).join('\n');
  return [
    ['id', view.id],
    ['state', status.replace('_', ' ')],
    ...(pausedAt === null ? [] : [['paused', `since ${toClock(pausedAt)}`] as const]),
    ...(end === null ? [] : [['end', `it ${end}`] as const]),
    ['command', view.commandLine],
    ...(view.host == null ? [] : [['host', view.host] as const]),
    ['directory', view.cwd],
    ...('pid' in view && view.pid !== null ? [['pid', String(view.pid)] as const] : []),
    ['runtime', toRuntime(process, at.value) ?? 'not started'],
    ...('endsAt' in view && view.endsAt !== null
      ? [['time limit', `ends at ${toClock(view.endsAt)} at the latest`] as const]
      : []),
    ...('restarts' in view && view.restarts > 0
      ? [['restarts', `${view.restarts}; attempt ${view.attempt}`] as const]
      : []),
    ['mode', `${view.mode}; ${view.executionMode}`],
    ['kind', view.tool === null ? view.kind : `${view.kind}; started by ${view.tool}`],
    ...toReady(view),
    ...(view.terminal === null ? [] : [['terminal', toTerminal(view.terminal)] as const]),
    ...(view.awaitsInput === null
      ? []
      : [
          [
            'input',
            `waits for a ${view.awaitsInput.kind} since ${toClock(view.awaitsInput.since)}${view.awaitsInput.certainty === 'hint' ? ', perhaps' : ''}: ${view.awaitsInput.prompt ?? ''}`,
          ] as const,
        ]),
    [
      'output',
      `${formatBytes(view.output.bytes)}${view.output.droppedBytes > 0 ? `; ${formatBytes(view.output.droppedBytes)} not in memory` : ''}`,
    ],
    ...(view.output.logFile === null ? [] : [['log', view.output.logFile] as const]),
    ...('because' in view && view.because !== null ? [['alive', view.because] as const] : []),
    ...('survivors' in view && view.survivors.length > 0
      ? [['survivors', members(view.survivors)] as const]
      : []),
    ...('leftovers' in view && view.leftovers.length > 0
      ? [['leftovers', members(view.leftovers)] as const]
      : []),
    ...('suspects' in view && view.suspects.length > 0
      ? [['suspects', members(view.suspects)] as const]
      : []),
    ...('held' in view && view.held !== null ? [['held by', view.held] as const] : []),
    ...toUsage(process),
    ...(view.resourceLimits == null ? [] : [['limits', describeLimits(view.resourceLimits)] as const]),
    ...('receipt' in view && view.receipt !== null ? [['receipt', toReceipt(view.receipt)] as const] : []),
    ...Object.entries(view.metadata).map(
      ([name, value]): Fact => [name, typeof value === 'string' ? value : JSON.stringify(value)],
    ),
  ];
}

function toUsage({ view, endedAt }: StagedProcess): readonly Fact[] {
  const figures = endedAt === null && travel.value === null ? usage.value[view.id] : undefined;
  const text = figures === undefined ? describeFinalUsage(view) : describeUsage(figures);
  return text === '' ? [] : [[figures === undefined ? 'used' : 'uses', text]];
}

function toReady(view: ProcessView): readonly Fact[] {
  if (!('ready' in view) || view.ready.state === 'undeclared') return [];
  const { ready } = view;
  if (ready.state === 'ready') return [['ready', `after ${formatDuration(ready.afterMs)}`]];
  return [['ready', ready.state === 'failed' ? `no: ${ready.why}` : 'not yet']];
}

function toTerminal(terminal: NonNullable<ProcessView['terminal']>): string {
  return terminal.type === 'none'
    ? terminal.because
    : `${terminal.columns}×${terminal.rows}; ${terminal.because}${terminal.attach === null ? '' : `; ${terminal.attach.join(' ')}`}`;
}

function toReceipt(receipt: NonNullable<Extract<ProcessView, { endedAt: number }>['receipt']>): string {
  const survivors =
    receipt.survivors.length === 0 ? 'nothing survived' : `${receipt.survivors.length} survived`;
  return `${receipt.signalled}${receipt.escalated ? ', then SIGKILL' : ''}; ${survivors}; ${formatDuration(receipt.durationMs)}`;
}
