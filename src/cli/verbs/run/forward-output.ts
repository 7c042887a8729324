import type { Cancel, Clock } from '../../../clock/clock.ts';
import type { OutputSink } from '../../../output/output-sink.ts';
import type { Backend } from '../../../spawn/backend.ts';
import type { CliIo } from '../../cli-io.ts';

/** Bytes queued for a slow reader before the command is slowed down. */
const MAX_QUEUED_BYTES = 256 * 1024;

/** Silence required after a slow reader has caught up. */
const QUIET_MS = 100;

/** Forwards the output of one command to stdout and stderr, in addition to keeping it. */
export interface OutputForwarder {
  /** See `wrapBackend`. */
  readonly wrapBackend: (backend: Backend) => Backend;
  /** Resolves once everything queued for a slow reader has been written. */
  settled(): Promise<void>;
}

/**
 * Forwards each stream byte for byte as it arrives. A slow reader slows the command down, as a pipe between them would: nothing is dropped
 * or queued without bound.
 */
export function createOutputForwarder(
  { stdout, stderr }: Pick<CliIo, 'stdout' | 'stderr'>,
  clock: Clock,
): OutputForwarder {
  let hasEnded = false;
  let sink: ForwardingSink | null = null;

  const isSettled = () =>
    sink === null || hasEnded || (!sink.isBackpressured && clock.nowMs() - sink.lastWriteAtMs >= QUIET_MS);
  return {
    wrapBackend: (backend) => ({
      ...backend,
      run: (port): Cancel => {
        sink = createForwardingSink(port.output, { stdout, stderr });
        return backend.run({
          ...port,
          output: sink,
          tell: (fact) => {
            if (fact.type === 'output.ended') hasEnded = true;
            port.tell(fact);
          },
        });
      },
    }),
    settled: async () => {
      if (sink === null || !sink.wasHeld) return;
      while (!isSettled()) await new Promise<void>((resolve) => clock.at(clock.nowMs() + QUIET_MS, resolve));
    },
  };
}

type ForwardingSink = OutputSink & { readonly wasHeld: boolean };

function createForwardingSink(
  kept: OutputSink,
  { stdout, stderr }: Pick<CliIo, 'stdout' | 'stderr'>,
): ForwardingSink {
  const isFull = (target: NodeJS.WriteStream) =>
    target.writableLength > MAX_QUEUED_BYTES && !target.destroyed;
  const full = () => [stdout, stderr].filter(isFull);
  let wasHeld = false;

  const whenAllTake = (callback: () => void) => {
    const [target] = full();
    if (target === undefined) return callback();
    const next = () => {
      target.off('drain', next);
      target.off('close', next);
      whenAllTake(callback);
    };
    target.once('drain', next);
    target.once('close', next);
  };
  return {
    write: (stream, bytes) => {
      const isKept = kept.write(stream, bytes);
      (stream === 'stderr' ? stderr : stdout).write(bytes);
      const isTaken = isKept && full().length === 0;
      wasHeld ||= !isTaken;
      return isTaken;
    },
    whenWritable: (callback) => {
      if (kept.isBackpressured) kept.whenWritable(() => whenAllTake(callback));
      else whenAllTake(callback);
    },
    get isBackpressured() {
      return kept.isBackpressured || full().length > 0;
    },
    get wasHeld() {
      return wasHeld;
    },
    get bytes() {
      return kept.bytes;
    },
    get lastWriteAtMs() {
      return kept.lastWriteAtMs;
    },
  };
}
