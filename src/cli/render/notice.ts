import type { ProcessStatus } from '../../../machines/process/view.ts';
import { formatDuration } from '../../config/duration.ts';
import type { ProcessView } from '../../process/process-view.ts';
import { shortenLines, toMarked, toQuoted } from './margin.ts';
import type { Page } from './page.ts';
import { toPrintable } from './printable.ts';
import { statusStyle, toProcessName } from './process-text.ts';

const SHOWN = { first: 0, last: 8 };

/** Entry of a notice: a sentence, and the output or answer below it. */
interface NoticeEntry {
  readonly sentence: string;
  readonly status: ProcessStatus | null;
  readonly quoted: readonly string[];
}

/** Renders a notice without the markup that only a model needs. */
export function renderNotice(text: string, page: Page): string[] {
  return readNotice(text).flatMap(({ sentence, status, quoted }) => [
    ...toMarked({ voice: 'notice', text: paintStatus(sentence, status, page) }, page),
    ...toQuoted(shortenLines(quoted, SHOWN), page),
  ]);
}

/**
 * Parses the markup of a notice, in which each element begins a line and foreign text is escaped. Lines outside of elements
 * address the model and are left out.
 */
export function readNotice(text: string): readonly NoticeEntry[] {
  const elements = text.matchAll(/^<(process|schedule|event|more)\b([^\n]*?)(?:\/>|>(.*?)<\/\1>)$/gms);
  return [...elements].map(([, name, attributeText = '', body = '']) => {
    const attributes = readAttributes(attributeText);
    const status =
      attributes['status'] !== undefined && attributes['status'] in statusStyle ? attributes['status'] : null;
    const [first = '', ...rest] = body.split('\n').filter((line) => line !== '');
    const quoted = rest.filter((line) => !/^<\/?(output|answer)\b.*>$/.test(line)).map(unescapeText);
    const id =
      attributes['label'] === undefined ? attributes['id'] : `${attributes['id']} (${attributes['label']})`;
    if (name === 'event')
      return { sentence: `${attributes['source']}: ${unescapeText(first)}`, status: null, quoted };
    const sentence =
      first === '' ? `${id} ${status ?? ''} after ${attributes['duration']}.` : unescapeText(first);
    const isNamed = id === undefined || sentence.startsWith(id);
    return {
      sentence: isNamed ? sentence : `${id}: ${sentence}`,
      status: status as ProcessStatus | null,
      quoted,
    };
  });
}

function readAttributes(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries(
    [...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, unescapeText(value)]),
  );
}

const CHARACTERS: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&amp;': '&',
};

function unescapeText(text: string): string {
  return toPrintable(text.replace(/&(?:lt|gt|quot|amp);/g, (entity) => CHARACTERS[entity] ?? entity));
}

/** Colours the word for the end of a process by its status. */
function paintStatus(sentence: string, status: ProcessStatus | null, { paint }: Page): string {
  if (status === null) return sentence;
  return sentence.replace(/\b(completed|failed|was killed|timed out|was lost)\b/, (word) =>
    paint(statusStyle[status], word),
  );
}

/** Renders the move of a process to the background. */
export function renderPromotion(view: ProcessView, page: Page): string[] {
  const after = 'runtimeMs' in view ? ` after ${formatDuration(view.runtimeMs)}` : '';
  const state = view.status === 'pending' ? 'stays queued' : `continues in the background${after}`;
  const text = `${toProcessName(view)} ${state}`;
  return toMarked({ voice: 'process', text, style: 'blue' }, page);
}
