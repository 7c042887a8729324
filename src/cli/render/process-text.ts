import type { TreeMember } from '../../../machines/process/context.ts';
import type { ProcessStatus } from '../../../machines/process/view.ts';
import { formatDuration } from '../../config/format-duration.ts';
import { shorten } from '../../config/quote.ts';
import { describeEnd } from '../../process/describe-end.ts';
import type { AwaitedInput, ProcessView, ProgressView } from '../../process/process-view.ts';
import type { RuntimeEvent } from '../../supervisor/runtime-event.ts';
import type { Page, Style } from './page.ts';
import { toPrintable, toVisible } from './printable.ts';
import { clip, textWidth } from './wrap.ts';

/** Returns the id of a process, with its label if it has one. */
export function toProcessName({ id, label }: Pick<ProcessView, 'id' | 'label'>): string {
  return label === null ? id : `${id} (${toPrintable(label)})`;
}

/** Colours of statuses. */
export const statusStyle = {
  pending: 'dim',
  running: 'cyan',
  backgrounded: 'blue',
  stopping: 'yellow',
  restarting: 'yellow',
  completed: 'green',
  failed: 'red',
  killed: 'yellow',
  timed_out: 'red',
  lost: 'red',
} as const satisfies Record<ProcessStatus, Style>;

/** Returns `45 %` or `45 % paused`; without a percentage, the text of the progress. */
export function toProgressText({ percent, state, text }: ProgressView): string {
  const far = percent === null ? toVisible(text ?? 'under way') : `${Math.round(percent)} %`;
  return state === 'running' ? far : `${far} ${state}`;
}

const words: Readonly<Record<AwaitedInput['kind'], string>> = {
  line: 'input',
  secret: 'secret',
  key: 'key',
};

/** Returns `input`, `secret` or `key`, with a question mark for a guess. */
export function toAwaitedInputMark({ kind, certainty }: AwaitedInput): string {
  return `${words[kind]}${certainty === 'hint' ? '?' : ''}`;
}

/** Returns a clause such as `waits for a secret: "Password:"`. */
export function describeAwaitedInput({ kind, certainty, prompt }: AwaitedInput): string {
  const what = kind === 'line' ? 'input' : `a ${words[kind]}`;
  const verb = certainty === 'hint' ? 'seems to wait for' : 'waits for';
  const asks = prompt === null || prompt.trim() === '' ? '' : `: "${shorten(toVisible(prompt.trim()), 60)}"`;
  return `${verb} ${what}${asks}`;
}

/** Bounds long scripts where the page is infinitely wide. */
const MAX_WIDTH = 120;

/** Renders a member of a process tree after `head`, on one line no wider than the page. */
export function toMemberLine(
  { pid, command }: TreeMember,
  { head, page }: { readonly head: string; readonly page: Pick<Page, 'width'> },
): string {
  const width = Math.min(page.width, MAX_WIDTH) - textWidth(head);
  return head + clip(`${pid} ${toVisible(command.trim().replaceAll(/[ \t]*\n\s*/g, '\n'))}`, width);
}

/** Describes an event of a process in a stack for a person; `null` for events that are not shown. */
export function describeProcessEvent(event: RuntimeEvent): string | null {
  switch (event.type) {
    case 'process.ready': {
      const { process } = event;
      const after =
        'ready' in process && process.ready.state === 'ready'
          ? ` after ${formatDuration(process.ready.afterMs)}`
          : '';
      return `is ready${after}`;
    }
    case 'process.unready':
      return 'ready' in event.process && event.process.ready.state === 'failed'
        ? `is not ready: ${event.process.ready.why}`
        : 'is not ready';
    case 'process.started':
      return event.process.attempt === 1 ? null : `was restarted (attempt ${event.process.attempt})`;
    case 'process.restarting':
      return event.process.status === 'restarting'
        ? `${describeEnd(event.process.reason, null)}; it is restarted`
        : 'is being restarted';
    case 'process.ended':
      return describeEnd(event.process.reason, event.process.exit);
    default:
      return null;
  }
}
