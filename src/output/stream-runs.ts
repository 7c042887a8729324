import type { StreamPositions } from './output-chunk.ts';
import type { OutputStream } from './output-sink.ts';

interface StreamRun {
  readonly stream: OutputStream;
  readonly afterEnd: boolean;
  readonly offset: number;
  readonly position: number;
  /** Time of its first byte. */
  readonly atMs: number;
}

/** A place in the output, up to where another stream continues. */
interface StreamPlace extends StreamRun {
  readonly length: number;
}

/** Some 300 KB: a command that alternates its streams more often is read back up to there. */
const maxRuns = 4_096;

/** Maps bytes of a log file to their streams: the file has all of them in order of arrival, without marks. */
export class StreamRuns {
  #runs: readonly StreamRun[] = none;
  #end = 0;

  /** The offset up to which the streams are known. */
  get end(): number {
    return this.#end;
  }

  add(run: StreamRun, bytes: number): void {
    const last = this.#runs.at(-1);
    const isNew = last === undefined || last.stream !== run.stream || last.afterEnd !== run.afterEnd;
    if (this.#end !== run.offset || (isNew && this.#runs.length === maxRuns)) return;
    if (isNew) {
      if (this.#runs === none) this.#runs = [];
      (this.#runs as StreamRun[]).push(run);
    }
    this.#end += bytes;
  }

  /** Finds what comes next at these positions in one of the streams; `null` if unknown. */
  find(positions: StreamPositions, streams: readonly OutputStream[]): StreamPlace | null {
    for (const [index, run] of this.#runs.entries()) {
      const skipped = Math.max(0, positions[run.stream] - run.position);
      const length = (this.#runs[index + 1]?.offset ?? this.#end) - run.offset - skipped;
      if (!streams.includes(run.stream) || length <= 0) continue;
      return { ...run, offset: run.offset + skipped, position: run.position + skipped, length };
    }
    return null;
  }
}

/** Shared by all logs without runs. */
const none: readonly StreamRun[] = [];
