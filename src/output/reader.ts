import { outputStreams, type StreamPositions } from './output-chunk.ts';
import type { OutputLog } from './output-log.ts';
import { type OutputRead, type ReadOptions, readOutput } from './read-output.ts';

/**
 * Reads a log with its own cursor, which moves when a read is acknowledged, so that a read whose reply was
 * lost is repeated. Each stream has its own position, so that reading one does not skip another.
 */
export interface OutputReader {
  /**
   * Reads the output since the last acknowledged read, unless `since` is given. No new output is an empty
   * text.
   */
  read(options?: ReadOptions): OutputRead;
  /** Confirms that a read has arrived. Acknowledging an older read moves nothing back. */
  acknowledge(read: OutputRead): void;
  /** The cursor, which `createReader` accepts again. */
  readonly positions: StreamPositions;
}

export function createReader(
  log: OutputLog,
  {
    from = { stdout: 0, stderr: 0, screen: 0 },
    onMoved = () => {},
  }: {
    /** Start of the reader. Default: the first byte. */
    readonly from?: StreamPositions;
    readonly onMoved?: () => void;
  } = {},
): OutputReader {
  const positions = { ...from };
  return {
    read: (options = {}) => {
      const since =
        options.since === undefined || options.since === 'last' ? { ...positions } : options.since;
      return readOutput(log, { ...options, since });
    },
    acknowledge(read) {
      const before = { ...positions };
      for (const stream of outputStreams) {
        positions[stream] = Math.max(positions[stream], read.positions[stream]);
      }
      if (outputStreams.some((stream) => positions[stream] > before[stream])) onMoved();
    },
    get positions() {
      return { ...positions };
    },
  };
}

/** The positions of each named reader. */
export type ReaderPositions = Readonly<Record<string, StreamPositions>>;

/** Readers by name. */
export interface Readers {
  get(name: string): OutputReader;
  /** Returns the positions of readers that have read something. */
  positions(): ReaderPositions;
}

export function createReaders(
  log: OutputLog,
  { earlier = {}, onMoved }: { readonly earlier?: ReaderPositions; readonly onMoved?: () => void } = {},
): Readers {
  const reading = onMoved === undefined ? {} : { onMoved };
  const readers = new Map(
    Object.entries(earlier).map(([name, from]) => [name, createReader(log, { from, ...reading })] as const),
  );
  const get = (name: string) => {
    const reader = readers.get(name) ?? createReader(log, reading);
    readers.set(name, reader);
    return reader;
  };
  return {
    get,
    positions: () => {
      const all = [...readers].map(([name, { positions }]) => [name, positions] as const);
      return Object.fromEntries(all.filter(([, at]) => outputStreams.some((stream) => at[stream] > 0)));
    },
  };
}
