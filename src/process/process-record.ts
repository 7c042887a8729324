import type { RunSettings, StopOrder } from '../../machines/process/context.ts';
import type { TerminalSize } from '../../machines/process/terminal.ts';
import type { StreamPositions } from '../output/output-chunk.ts';
import type { SpawnFiles, Work } from '../spawn/backend.ts';
import type { Hints } from '../spawn/environment.ts';
import type { ProcessIdentity } from '../spawn/tree/identity.ts';
import type { TableScope } from '../spawn/tree/process-table.ts';
import type { ProcessView } from './process-view.ts';
import type { TimelineEntry } from './timeline.ts';

/**
 * Record of a process: `processes/<id>.json` in the state directory. `view` and `timeline` are what the API shows; the rest is for the next
 * supervisor. It contains no secrets.
 */
export interface ProcessRecord {
  readonly version: 1;
  /** The current or last supervisor of the process. */
  readonly supervisorId: string;
  /** Scope in which the process ids are valid. */
  readonly scope: TableScope;
  /** Milliseconds since the epoch. */
  readonly savedAt: number;
  /** The same moment by `Clock.machineMs`: the wall clock may be changed before another program reads the record. */
  readonly savedMachineMs?: number;
  /** The view at the moment of saving; running times are of that moment. */
  readonly view: ProcessView;
  readonly timeline: readonly TimelineEntry[];
  /** Leader of the tree; `null` while none is known. */
  readonly leader: ProcessIdentity | null;
  /** Positions of the named readers in the log of a process that writes its log itself; absent where none has read. */
  readonly readers?: Readonly<Record<string, StreamPositions>>;
  /** See `ProcessPlan.fingerprint`; absent where the command contains secrets, since a hash can be guessed. */
  readonly likeness?: string;
  /** Data for an adoption by another supervisor; `null` where the process is not to be adopted. */
  readonly revival: AdoptionData | null;
}

/** The serializable part of a plan, and the progress of the process. Times are milliseconds since the epoch. */
export interface AdoptionData extends RunSettings {
  readonly likeness: string;
  readonly ready: RecordedReadiness | null;
  readonly maxReplyBytes: number;
  readonly maxLogBytes: number;
  readonly files: SpawnFiles;
  readonly size: TerminalSize | null;
  readonly work: Exclude<Work, { type: 'function' | 'worker' }>;
  readonly stdin: 'end' | 'pipe';
  /** Names of the variables added to the environment of the supervisor. The values are elsewhere, see `EnvironmentStore`. */
  readonly envNames: readonly string[];
  /** Names and values in older records; read and never written. */
  readonly env?: Readonly<Record<string, string | null>>;
  readonly hints: Hints;
  /** The offset at which the output of the current attempt begins. */
  readonly attemptOffset: number;
  readonly restartedAt: readonly number[];
  readonly nextStartAt: number | null;
  readonly stop: Omit<StopOrder, 'orderedAtMs'> | null;
  /** Watches of the process; absent where there are none. */
  readonly watches?: readonly {
    readonly owner: string;
    readonly wants:
      | { readonly type: 'quiet'; readonly quietMs: number }
      | { readonly type: 'pattern'; readonly pattern: string };
    readonly since: number;
    readonly told: number;
    /** Offset in the output up to which each match of a pattern was delivered. Absent in older records. */
    readonly toldBytes?: number;
    /** Streams whose line across `toldBytes` was delivered while it was unfinished; absent where there are none. */
    readonly toldUnfinished?: readonly ('stdout' | 'stderr' | 'screen')[];
  }[];
}

/** Readiness settings with a regular expression as its source and flags. */
export interface RecordedReadiness {
  readonly line?: string | { readonly source: string; readonly flags: string } | undefined;
  readonly port?: number | undefined;
  readonly http?: string | undefined;
  readonly file?: string | undefined;
  readonly alive?: number | undefined;
  readonly within: number;
}

/** A watch in the record of its process. */
export type RecordedWatch = NonNullable<AdoptionData['watches']>[number];
