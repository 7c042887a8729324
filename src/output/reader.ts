import { outputStreams, type StreamPositions } from './output-chunk.ts';
import type { OutputLog } from './output-log.ts';
import { type OutputRead, type ReadOptions, readOutput } from './read-output.ts';

/**
 * Reads a log with a cursor of its own. The cursor moves when a read is acknowledged, so that one whose reply was lost is read
 * again; each stream has its own place in it, so that reading one does not pass over another.
 */
export interface OutputReader {
  /** What came since the last acknowledged read, unless `since` asks otherwise. Nothing new is an empty text. */
  read(options?: ReadOptions): OutputRead;
  /** The reply has arrived. Acknowledging an older read afterwards moves nothing back. */
  acknowledge(read: OutputRead): void;
  /** The cursor, to be kept and given to `createReader` again. */
  readonly positions: StreamPositions;
}

export function createReader(
  log: OutputLog,
  from: StreamPositions = { stdout: 0, stderr: 0, screen: 0 },
): OutputReader {
  const positions = { ...from };
  return {
    read: (options = {}) => {
      const since =
        options.since === undefined || options.since === 'last' ? { ...positions } : options.since;
      return readOutput(log, { ...options, since });
    },
    acknowledge(read) {
      for (const stream of outputStreams) {
        positions[stream] = Math.max(positions[stream], read.positions[stream]);
      }
    },
    get positions() {
      return { ...positions };
    },
  };
}

/** Readers by name: the same name is the same reader. */
export function createReaders(log: OutputLog): (name: string) => OutputReader {
  const readers = new Map<string, OutputReader>();
  return (name) => {
    const reader = readers.get(name) ?? createReader(log);
    readers.set(name, reader);
    return reader;
  };
}
