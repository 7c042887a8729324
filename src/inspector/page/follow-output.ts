import type { FollowItem } from '../../control/protocol.ts';
import { readBlocks } from '../../live/read-blocks.ts';
import { parseReply } from './orders.ts';

/** Piece of output. */
export interface OutputItem {
  readonly stream: FollowItem['stream'];
  readonly offset: number;
  /** Bytes missing directly before it. */
  readonly droppedBytes: number;
  readonly bytes: Uint8Array;
}

/** Pause before a lost connection is tried again, in ms. */
const RETRY_MS = 1_000;
/** Number of consecutive errors of the program after which reading stops. A lost connection is retried without limit. */
const MAX_FAILURES = 5;

/** Error answer of the program to a request for output. */
export class OutputRefusal extends Error {
  /** True if a retry may succeed. */
  readonly passes: boolean;

  constructor(message: string, { passes }: { readonly passes: boolean }) {
    super(message);
    this.passes = passes;
  }
}

/**
 * Iterates over the output of a process from an offset to its end. It continues after a lost connection where it was. The program waits
 * for a reader that is slow. A hidden page reads nothing.
 *
 * @throws OutputRefusal where the program answers with an error: the process was forgotten, or its output cannot be read.
 */
export async function* followOutput(
  id: string,
  { from, signal }: { readonly from: number; readonly signal: AbortSignal },
): AsyncGenerator<OutputItem, void> {
  let cursor = from;
  let failures = 0;
  while (!signal.aborted) {
    await whenShown(signal);
    const hidden = new AbortController();
    const hide = () => document.hidden && hidden.abort();
    document.addEventListener('visibilitychange', hide);
    try {
      const response = await fetch(`api/output?id=${encodeURIComponent(id)}&from=${cursor}`, {
        signal: AbortSignal.any([signal, hidden.signal]),
      });
      if (!response.ok || response.body === null) {
        const passes = response.status >= 500;
        throw new OutputRefusal(await readRefusal(response), { passes });
      }
      for await (const lines of readBlocks(response.body, '\n')) {
        for (const line of lines) {
          const item = JSON.parse(line) as FollowItem | { readonly error: string; readonly code: string };
          if ('error' in item) throw new OutputRefusal(item.error, { passes: item.code === 'unreachable' });
          failures = 0;
          const bytes = fromBase64(item.bytes);
          yield { ...item, bytes };
          cursor = item.offset + bytes.length;
        }
      }
      return;
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof OutputRefusal) {
        failures += 1;
        if (!error.passes || failures === MAX_FAILURES) throw error;
      }
      if (!hidden.signal.aborted) await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    } finally {
      document.removeEventListener('visibilitychange', hide);
    }
  }
}

/** Returns the reason in an error answer. */
async function readRefusal(response: Response): Promise<string> {
  const text = await response.text().catch(() => '');
  return parseReply(text)?.error?.message ?? (text.trim() || `the program answered ${response.status}`);
}

/** Waits until the page is visible, or the signal is aborted. */
async function whenShown(signal: AbortSignal): Promise<void> {
  while (document.hidden && !signal.aborted) {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    document.addEventListener('visibilitychange', resolve, { once: true });
    signal.addEventListener('abort', resolve, { once: true });
    await promise;
  }
}

function fromBase64(text: string): Uint8Array {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}
