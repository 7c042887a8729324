import { basename } from 'node:path';
import { foreignRuntime } from '../../config/host-runtime.ts';
import type { ProgramResult } from '../start-child.ts';
import {
  createStarterProcess,
  type RunOrder,
  type StarterChild,
  type StarterProcess,
  type StartOrder,
} from './starter-process.ts';

/**
 * Starts programs from a small process beside this program. A program that starts others is copied by `fork`, and its event loop stands still
 * meanwhile: 30 ms with 600 MB of memory, 90 ms with 2 GB. The starter begins with the first order and ends with this program; one that ends
 * early is replaced by the next order.
 */
export interface Starter {
  /** Tells whether starts are to go through the starter now. */
  isUsed(): boolean;
  /** Rejects with the error of `spawn`, or with `StarterEnded`. While a child lives, it keeps this program alive. */
  start(order: StartOrder): Promise<StarterChild>;
  /** Runs a short program to its end. Rejects with `StarterEnded`; a program that fails does not reject. */
  run(order: RunOrder): Promise<ProgramResult>;
  /** Ends the starter. Programs that it has started live on. */
  close(): Promise<void>;
  /** Pid of the starter; `null` while none runs. */
  readonly pid: number | null;
}

/** Resident memory of this program from which the starter is used: a `fork` then blocks it for some 10 ms. */
export const LARGE_HOST_BYTES = 256_000_000;

/** Starters in a row that ended before they were ready, after which none is tried any more. */
const MAX_FAILURES = 3;

export interface StarterOptions {
  /** `auto` uses the starter while this program is large. */
  readonly use: 'auto' | boolean;
  /** `TROUPE_LINEAGE` of this program, so that an end of its own tree ends its starter, too. */
  readonly inheritedLineage: string | undefined;
  /** Called with each starter that begins, and with one that has ended: the watchdog must know them. */
  readonly onChange?: (change: { readonly began: number } | { readonly ended: number }) => void;
  readonly reportError: (error: unknown) => void;
  /** Resident memory of this program. Default: as the system says. */
  readonly rssBytes?: () => number;
}

export function createStarter({
  use,
  inheritedLineage,
  onChange = () => {},
  reportError,
  rssBytes = readRssBytes,
}: StarterOptions): Starter {
  let current: StarterProcess | null = null;
  let failures = 0;
  const isAble = use !== false && canStart();

  function open(): StarterProcess {
    const opened = createStarterProcess({
      inheritedLineage,
      onReady: () => {
        failures = 0;
      },
      onEnd: (why) => {
        if (current === opened) current = null;
        if (opened.pid !== null) onChange({ ended: opened.pid });
        if (why === null) return;
        failures += 1;
        reportError(new Error(`the starter process ended (${why}); programs are started without it for now`));
      },
    });
    if (opened.pid !== null) onChange({ began: opened.pid });
    return opened;
  }

  return {
    isUsed: () => isAble && failures < MAX_FAILURES && (use === true || rssBytes() >= LARGE_HOST_BYTES),
    start: (order) => {
      current ??= open();
      return current.start(order);
    },
    run: (order) => {
      current ??= open();
      return current.run(order);
    },
    close: async () => {
      const last = current;
      current = null;
      await last?.close();
    },
    get pid() {
      return current?.pid ?? null;
    },
  };
}

/** Reads the resident memory of this program; 0 if it cannot be read, as with too many open files. */
function readRssBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}

/** Tells whether this program can run a script with its own Node, and open the descriptors of another program. */
function canStart(): boolean {
  return (
    process.platform === 'linux' && foreignRuntime() === null && basename(process.execPath).startsWith('node')
  );
}
