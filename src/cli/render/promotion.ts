import { formatDuration } from '../../config/duration.ts';
import type { ProcessView } from '../../process/process-view.ts';
import { toMarked } from './margin.ts';
import type { Page } from './page.ts';
import { toProcessName } from './process-name.ts';

/** A process that nobody waits for any more. */
export function renderPromotion(view: ProcessView, page: Page): string[] {
  const after = 'runtimeMs' in view ? ` after ${formatDuration(view.runtimeMs)}` : '';
  const doing = view.status === 'pending' ? 'waits on for a free place' : `goes on in the background${after}`;
  const text = `${toProcessName(view)} ${doing}`;
  return toMarked({ voice: 'process', text, style: 'blue' }, page);
}
