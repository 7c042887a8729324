import { readAgentAnswer } from '../process/agent-answer.ts';
import type { ProcessHandle } from '../process/process-handle.ts';
import { toCompletionId } from '../process/process-id.ts';
import type { FinalView, ProcessView } from '../process/process-view.ts';
import type { MailboxEntry } from './mailbox-entry.ts';
import type { News } from './news.ts';
import { tailReadBytes } from './notice.ts';
import { type EndedPart, toDuePart, toEndedPart, toRunningPart, toWatchPart } from './notice-part.ts';

type NoticeEntry = Extract<MailboxEntry, { kind: 'notice' }>;

/** Returns the entry of an end. `handle` is missing where the process was forgotten already. */
export function toEndEntry(
  view: FinalView,
  end: {
    readonly handle: ProcessHandle | undefined;
    readonly ports: readonly number[];
    readonly attention: NoticeEntry['attention'];
  },
): NoticeEntry {
  return { kind: 'notice', id: toCompletionId(view), attention: end.attention, part: toPart(view, end) };
}

/** Returns the entry of a process that is silent, or has run for long. */
export function toRunningEntry(
  type: 'process.silent' | 'process.elapsed',
  { view, at }: { readonly view: ProcessView; readonly at: number },
): NoticeEntry {
  const word = type === 'process.silent' ? 'silent' : 'elapsed';
  // Only the agent can type, and without that the process waits for ever.
  const isStuck = word === 'silent' && view.awaitsInput?.certainty === 'known';
  return {
    kind: 'notice',
    id: `${view.id}/${view.attempt}/${word}/${at}`,
    attention: isStuck ? 'turn' : 'context',
    part: toRunningPart(word, view),
  };
}

/** Returns the entry of what a watch or a schedule has published. */
export function toNotificationEntry(news: News): NoticeEntry {
  const part = news.type === 'schedule.due' ? toDuePart(news) : toWatchPart(news);
  return { kind: 'notice', id: news.id, attention: 'turn', part };
}

function toPart(
  view: FinalView,
  { handle, ports }: { readonly handle: ProcessHandle | undefined; readonly ports: readonly number[] },
): EndedPart {
  const { bytes } = view.output;
  const since = Math.max(0, bytes - tailReadBytes);
  const tail = handle?.read({ since, maxBytes: tailReadBytes }).text ?? '';
  const read = Object.values(handle?.reader(view.owner).positions ?? {}).reduce((sum, at) => sum + at, 0);
  const answer = view.kind === 'agent' && handle !== undefined ? toAnswer(handle) : null;
  return toEndedPart(view, { tail, unreadBytes: Math.max(0, bytes - read), ports, answer });
}

/** Returns the answer of a child agent, or why it gave none. */
function toAnswer(handle: ProcessHandle): string | null {
  const answer = readAgentAnswer(handle);
  if (answer === null) return null;
  const said = answer.ok ? answer.data : answer.error;
  return typeof said === 'string' ? said : (JSON.stringify(said) ?? '');
}
