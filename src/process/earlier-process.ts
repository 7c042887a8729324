import type { ReaderPositions } from '../output/reader.ts';
import type { ProcessIdentity } from '../spawn/tree/identity.ts';
import type { EarlierLife } from './process-life.ts';
import type { OutputView, ReadyView } from './process-view.ts';
import type { RecordedWatch } from './recorded-watch.ts';
import type { TimelineEntry } from './timeline.ts';

/** What is known of a process that began under another supervisor, beside its plan. */
export interface EarlierProcess {
  readonly owner: string;
  readonly timeline: readonly TimelineEntry[];
  readonly ready: ReadyView;
  readonly life: EarlierLife;
  readonly attemptOffset: number;
  /** How far each named reader has come. */
  readonly readers: ReaderPositions;
  /** Who led when it was last written down; `null` where nobody was known. */
  readonly leader: ProcessIdentity | null;
  readonly watches: readonly RecordedWatch[];
  /** It had ended and concerns nobody any more: everybody may look at it, and nobody has it. */
  readonly isNobodys: boolean;
  /** Of one that has ended: what it printed was counted then. */
  readonly output: OutputView | null;
}
