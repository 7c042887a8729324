import { formatDuration } from '../config/duration.ts';
import { shorten } from '../config/quote.ts';
import { escapeAttribute, escapeText } from '../mailbox/escape-markup.ts';
import { envelope } from '../mailbox/notice.ts';
import type { ProcessView } from '../process/process-view.ts';

const MAX_PROCESSES = 20;
const MAX_COMMAND_LENGTH = 120;

/** The reason for a digest. */
export type DigestReason =
  | { readonly type: 'shortened'; readonly summary: string | null }
  | { readonly type: 'resumed' };

/** Returns a notice that lists the live processes of an agent whose transcript has a gap; of bounded size. */
export function toDigest(views: readonly ProcessView[], because: DigestReason): string {
  const lines = views.slice(0, MAX_PROCESSES).map(toLine);
  const rest = views.length - lines.length;
  return envelope('kind="digest"', [
    ...describeReason(because),
    views.length === 0 ? 'None of your processes is alive.' : 'Your processes that are alive:',
    ...lines,
    ...(rest > 0 ? [`<more count="${rest}">The list of processes shows all.</more>`] : []),
  ]);
}

function describeReason(because: DigestReason): readonly string[] {
  if (because.type === 'resumed')
    return ['The program has ended since then; this conversation continues in a new one.'];
  const { summary } = because;
  const removed = 'The older part of this conversation was removed.';
  return summary === null ? [removed] : [removed, `<summary>\n${escapeText(summary)}\n</summary>`];
}

function toLine(view: ProcessView): string {
  const facts = {
    id: view.id,
    ...(view.label !== null && { label: view.label }),
    status: view.status,
    ...('runtimeMs' in view && { duration: formatDuration(view.runtimeMs) }),
    command: shorten(view.commandLine, MAX_COMMAND_LENGTH),
  };
  const attributes = Object.entries(facts).map(([name, value]) => `${name}="${escapeAttribute(value)}"`);
  return `<process ${attributes.join(' ')}/>`;
}
