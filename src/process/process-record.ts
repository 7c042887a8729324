import type { Limits, OnTimeout, RestartSettings, StopOrder } from '../../machines/process/context.ts';
import type { TerminalSize } from '../../machines/process/terminal.ts';
import type { StreamPositions } from '../output/output-chunk.ts';
import type { SpawnFiles, Work } from '../spawn/backend.ts';
import type { Hints } from '../spawn/environment.ts';
import type { ProcessIdentity } from '../spawn/tree/identity.ts';
import type { TableScope } from '../spawn/tree/process-table.ts';
import type { ProcessView } from './process-view.ts';
import type { TimelineEntry } from './timeline.ts';

/**
 * What is written down of a process: `processes/<id>.json` in the state directory. `view` and `timeline` are what the API shows; the
 * rest is for whoever comes after its supervisor. Secrets are in none of it.
 */
export interface ProcessRecord {
  readonly version: 1;
  /** Who answers for it, or did. */
  readonly supervisorId: string;
  /** Where its process ids mean anything. */
  readonly scope: TableScope;
  /** Milliseconds since the epoch. */
  readonly savedAt: number;
  /** The same moment by `Clock.machineMs`: the wall clock may be set before another program reads this. */
  readonly savedMachineMs?: number;
  /** As it was when it was saved; times that run on are of that moment. */
  readonly view: ProcessView;
  readonly timeline: readonly TimelineEntry[];
  /** Its leader; `null` while it has none, or none that is known. */
  readonly leader: ProcessIdentity | null;
  /** How far each named reader has come in the log, of a process that writes its log itself; left out where none has read. */
  readonly readers?: Readonly<Record<string, StreamPositions>>;
  /** See `ProcessPlan.likeness`; left out where the command holds secrets, since a hash may be guessed. */
  readonly likeness?: string;
  /** What another supervisor needs to take it over; `null` where it is not to. */
  readonly revival: AdoptionData | null;
}

/** The part of a plan that can be written down, and how far the process has come. Times are milliseconds since the epoch. */
export interface AdoptionData {
  readonly likeness: string;
  readonly background: boolean;
  readonly onTimeout: OnTimeout;
  readonly limits: Limits;
  readonly leftoverPolicy: 'keep' | 'kill';
  readonly restart: RestartSettings;
  readonly ready: RecordedReadiness | null;
  readonly maxReplyBytes: number;
  readonly maxLogBytes: number;
  readonly files: SpawnFiles;
  readonly size: TerminalSize | null;
  readonly work: Exclude<Work, { type: 'function' }>;
  readonly stdin: 'end' | 'pipe';
  /** The names of what its environment adds to that of its supervisor. The values are elsewhere, see `EnvironmentStore`. */
  readonly envNames: readonly string[];
  /** Names and values, as records had them before. It is read and never written. */
  readonly env?: Readonly<Record<string, string | null>>;
  readonly hints: Hints;
  /** Where the output of its attempt begins. */
  readonly attemptOffset: number;
  readonly restartedAt: readonly number[];
  readonly nextStartAt: number | null;
  readonly stop: Omit<StopOrder, 'orderedAtMs'> | null;
  /** Who wants to be told of it; left out where nobody does. */
  readonly watches?: readonly {
    readonly owner: string;
    readonly wants:
      | { readonly type: 'quiet'; readonly quietMs: number }
      | { readonly type: 'pattern'; readonly pattern: string };
    readonly since: number;
    readonly told: number;
    /** Of a pattern: offset in the output before which each line that matches was told. Records of before do not have it. */
    readonly toldBytes?: number;
    /** Of which streams the line that goes on behind `toldBytes` was told while it was unfinished; left out where of none. */
    readonly toldUnfinished?: readonly ('stdout' | 'stderr' | 'screen')[];
  }[];
}

/** A regular expression as its source and flags. */
export interface RecordedReadiness {
  readonly line?: string | { readonly source: string; readonly flags: string } | undefined;
  readonly port?: number | undefined;
  readonly http?: string | undefined;
  readonly file?: string | undefined;
  readonly alive?: number | undefined;
  readonly within: number;
}

/** A watch as it stands in the record of its process. */
export type RecordedWatch = NonNullable<AdoptionData['watches']>[number];
