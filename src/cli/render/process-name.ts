import type { ProcessView } from '../../process/process-view.ts';
import { toPrintable } from './printable.ts';

/** A process as people call it: its id, and its label where it has one. */
export function toProcessName({ id, label }: Pick<ProcessView, 'id' | 'label'>): string {
  return label === null ? id : `${id} (${toPrintable(label)})`;
}
