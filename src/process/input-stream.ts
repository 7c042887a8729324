import type { WriteResult } from '../../machines/process/events.ts';
import { orAborted } from '../config/or-aborted.ts';
import { TroupeError } from '../config/troupe-error.ts';

/** Stdin of a process. */
interface StreamedInput {
  /** Waits until the process has taken all of it. */
  write(chunk: string | Uint8Array): Promise<WriteResult>;
  end(): Promise<WriteResult>;
  /** Resolves with a text about it when the process has ended. */
  readonly over: Promise<string>;
  /** Called once, when the stream takes nothing more. */
  onDone(): void;
}

/**
 * Creates the stream that writes to stdin: `close` ends it, `abort` ends it without waiting for the process to read. A write that the process
 * does not take fails with `input-refused`, and so does the stream when the process has ended.
 */
export function createInputStream(stdin: StreamedInput): WritableStream<string | Uint8Array> {
  const fail = (error: string): TroupeError => {
    stdin.onDone();
    return new TroupeError({ code: 'input-refused', message: error });
  };
  const check = (result: WriteResult): void => {
    if (!result.ok) throw fail(result.error);
  };
  return new WritableStream({
    start: (controller) => {
      void stdin.over.then((text) => controller.error(fail(text)));
    },
    write: async (chunk, controller) => {
      const { signal } = controller as AbortableController;
      check(await orAborted(stdin.write(chunk), signal));
    },
    close: async () => {
      check(await stdin.end());
      stdin.onDone();
    },
    abort: () => {
      stdin.onDone();
      // Queued behind a write that the process may never take.
      void stdin.end();
    },
  });
}

/** Node's types lack the signal of the standard. */
type AbortableController = WritableStreamDefaultController & { readonly signal: AbortSignal };
