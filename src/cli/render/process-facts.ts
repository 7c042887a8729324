import { formatDuration } from '../../config/duration.ts';
import { describeEnd } from '../../process/end-text.ts';
import type { ProcessView } from '../../process/process-view.ts';
import type { TimelineEntry } from '../../process/timeline.ts';
import type { Page } from './page.ts';
import { toPrintable } from './printable.ts';
import { toProcessName } from './process-name.ts';
import { statusStyle } from './status-style.ts';
import { pad, wrap } from './wrap.ts';

const INDENT = '  ';
const NAME_WIDTH = 11;

/** Everything a person may want to know of one process, what happened to it included. */
export function renderProcessFacts(
  { view, timeline }: { readonly view: ProcessView; readonly timeline: readonly TimelineEntry[] },
  page: Page,
): string[] {
  const facts = toFacts(view, page).flatMap(([name, value]) => {
    const [first = '', ...more] = toPrintable(value)
      .split('\n')
      .flatMap((line) => wrap(line, page.width - 13));
    const styled = name === 'status' ? page.paint(statusStyle[view.status], first) : first;
    return [
      `${INDENT}${page.paint('dim', pad(name, NAME_WIDTH))}${styled}`,
      ...more.map((line) => `${INDENT}${' '.repeat(NAME_WIDTH)}${line}`),
    ];
  });
  return [
    INDENT + page.paint('bold', toProcessName(view)),
    ...facts,
    ...timeline.map((entry) => toEntry({ entry, startAt: view.createdAt }, page)),
  ];
}

function toFacts(view: ProcessView, _page: Page): readonly (readonly [string, string])[] {
  const { bytes, lines, logFile, degraded } = view.output;
  return [
    ['status', view.status.replace('_', ' ')],
    ...('reason' in view && view.reason !== null
      ? [['end', `it ${describeEnd(view.reason, 'exit' in view ? view.exit : null)}`] as const]
      : []),
    ['command', view.commandLine],
    ['directory', view.cwd],
    ...('pid' in view && view.pid !== null ? [['pid', String(view.pid)] as const] : []),
    ...('runtimeMs' in view ? [['runtime', formatDuration(view.runtimeMs)] as const] : []),
    ['mode', `${view.mode}; ${view.executionMode}`],
    ['owner', `${view.owner}; lifetime ${view.lifetime}`],
    ...('ready' in view && view.ready.state !== 'undeclared'
      ? [['ready', view.ready.state === 'failed' ? `no: ${view.ready.why}` : view.ready.state] as const]
      : []),
    ['output', `${bytes} bytes, ${lines} lines${degraded === null ? '' : `; ${degraded}`}`],
    ...(logFile === null ? [] : [['log', logFile] as const]),
    ...('leftovers' in view && view.leftovers.length > 0
      ? [['leftovers', view.leftovers.map(({ pid, command }) => `${pid} ${command}`).join('\n')] as const]
      : []),
  ];
}

function toEntry(
  { entry, startAt }: { readonly entry: TimelineEntry; readonly startAt: number },
  page: Page,
): string {
  const at = `+${formatDuration(Math.max(0, entry.at - startAt))}`;
  const by = entry.by === undefined ? '' : ` by the ${entry.by}`;
  const detail = entry.detail === undefined ? '' : `: ${toPrintable(entry.detail)}`;
  return `${INDENT}${page.paint('dim', pad(at, NAME_WIDTH))}${entry.event}${by}${detail}`;
}
