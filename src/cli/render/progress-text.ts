import type { ProgressView } from '../../process/process-view.ts';
import { toVisible } from './printable.ts';

/** `45 %`, `45 % paused`; where no number is known, what it said, or that it is under way. */
export function toProgressText({ percent, state, text }: ProgressView): string {
  const far = percent === null ? toVisible(text ?? 'under way') : `${Math.round(percent)} %`;
  return state === 'running' ? far : `${far} ${state}`;
}
