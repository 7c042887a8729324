import type { TreeMember } from '../../../machines/process/context.ts';
import type { ProcessStatus } from '../../../machines/process/view.ts';
import { shorten } from '../../config/quote.ts';
import type { AwaitedInput, ProcessView, ProgressView } from '../../process/process-view.ts';
import type { Page, Style } from './page.ts';
import { toPrintable, toVisible } from './printable.ts';
import { clip, textWidth } from './wrap.ts';

/** A process as people call it: its id, and its label where it has one. */
export function toProcessName({ id, label }: Pick<ProcessView, 'id' | 'label'>): string {
  return label === null ? id : `${id} (${toPrintable(label)})`;
}

/** A status's colour, the same wherever it is shown. */
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

/** `45 %`, `45 % paused`; where no number is known, what it said, or that it is under way. */
export function toProgressText({ percent, state, text }: ProgressView): string {
  const far = percent === null ? toVisible(text ?? 'under way') : `${Math.round(percent)} %`;
  return state === 'running' ? far : `${far} ${state}`;
}

const words: Readonly<Record<AwaitedInput['kind'], string>> = {
  line: 'input',
  secret: 'secret',
  key: 'key',
};

/** For a narrow place: `input`, `secret`, `key`; with a question mark where it is only guessed. */
export function toAwaitedInputMark({ kind, certainty }: AwaitedInput): string {
  return `${words[kind]}${certainty === 'hint' ? '?' : ''}`;
}

/** `waits for a secret: "Password:"`, as a clause. */
export function describeAwaitedInput({ kind, certainty, prompt }: AwaitedInput): string {
  const what = kind === 'line' ? 'input' : `a ${words[kind]}`;
  const verb = certainty === 'hint' ? 'seems to wait for' : 'waits for';
  const asks = prompt === null || prompt.trim() === '' ? '' : `: "${shorten(toVisible(prompt.trim()), 60)}"`;
  return `${verb} ${what}${asks}`;
}

/** Scripts are command lines, too; in a file nothing else bounds them. */
const MAX_WIDTH = 120;

/** A process that belongs to another one, behind `head`, on one line that is not wider than the page. */
export function toMemberLine(
  { pid, command }: TreeMember,
  { head, page }: { readonly head: string; readonly page: Pick<Page, 'width'> },
): string {
  const width = Math.min(page.width, MAX_WIDTH) - textWidth(head);
  return head + clip(`${pid} ${toVisible(command.trim().replaceAll(/[ \t]*\n\s*/g, '\n'))}`, width);
}
