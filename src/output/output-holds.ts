import { type OutputChunk, outputStreams, positionAfter, type StreamPositions } from './output-chunk.ts';
import type { OutputStream } from './output-sink.ts';

/** The output that one reader still needs: everything of its streams behind its place. */
export interface OutputHold {
  /** Gives up the output up to the end of a chunk. Chunks come in the order of the reader. */
  move(chunk: OutputChunk): void;
  /** Gives up everything. Repeated calls have no effect. */
  release(): void;
}

/** The place of a reader that loses nothing. */
export interface HeldPlace {
  readonly positions: StreamPositions;
  readonly streams: readonly OutputStream[];
  /** An offset before which the reader needs nothing. */
  readonly offset: number;
}

/** The output that readers still need. */
export class OutputHolds {
  readonly #holds = new Set<HeldPlace>();
  readonly #onMoved: () => void;

  /** `onMoved` is called whenever less output is needed. */
  constructor(onMoved: () => void = () => {}) {
    this.#onMoved = onMoved;
  }

  get isEmpty(): boolean {
    return this.#holds.size === 0;
  }

  add(place: HeldPlace): OutputHold {
    let held = { ...place, positions: { ...place.positions } };
    this.#holds.add(held);
    return {
      move: (chunk) => {
        if (!this.#holds.delete(held)) return;
        const positions = { ...held.positions, [chunk.stream]: positionAfter(chunk) };
        held = { ...held, positions, offset: chunk.offset + chunk.bytes.byteLength };
        this.#holds.add(held);
        this.#onMoved();
      },
      release: () => {
        if (this.#holds.delete(held)) this.#onMoved();
      },
    };
  }

  /** Returns where the needed output of each stream begins; Infinity for a stream without readers. */
  neededPositions(): StreamPositions {
    const needed = {
      stdout: Number.POSITIVE_INFINITY,
      stderr: Number.POSITIVE_INFINITY,
      screen: Number.POSITIVE_INFINITY,
    };
    for (const { streams, positions } of this.#holds)
      for (const stream of streams) needed[stream] = Math.min(needed[stream], positions[stream]);
    return needed;
  }

  /** Returns the first offset that a reader needs of a log with these positions; Infinity if all have read everything. */
  neededOffset(end: StreamPositions): number {
    const behind = [...this.#holds].filter(({ streams, positions }) =>
      streams.some((stream) => positions[stream] < end[stream]),
    );
    return Math.min(...behind.map(({ offset }) => offset));
  }
}

/** Returns the streams that a reader of this stream reads; all without one. */
export function toStreams(stream: OutputStream | undefined): readonly OutputStream[] {
  return stream === undefined ? outputStreams : [stream];
}
