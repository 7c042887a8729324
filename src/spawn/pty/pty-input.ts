import type { WriteFailure, WriteResult } from '../../../machines/process/events.ts';
import type { Clock } from '../../clock/clock.ts';
import { pause } from '../../clock/pause.ts';
import { toErrorText } from '../../config/error-text.ts';
import {
  createInputQueue,
  firstPollMs,
  notReadText,
  readTimeoutMs,
  toNextPollMs,
} from '../input/queue-input.ts';
import type { PtyChild } from './pty-child.ts';

export type PtyWrite = (bytes: Uint8Array) => Promise<WriteResult>;

/** Input of a terminal: writes run one after another. */
export interface PtyInput {
  /**
   * Writes as long as the program reads something every ten seconds; `bytesWritten` is exact. A terminal in line mode keeps 4095
   * bytes of a line and silently drops the rest.
   */
  write: PtyWrite;
  /** Executes several writes that belong together. Steps queued behind an unread one are refused with it, unless there is room again. */
  enqueue(step: (write: PtyWrite) => Promise<WriteResult>): Promise<WriteResult>;
  /** Writes an answer of the terminal itself at once; it is lost if the program does not read. */
  answer(text: string): void;
}

/** Size of one write: a terminal takes no more at once. */
const pieceBytes = 4 * 1024;

export function createPtyInput(child: PtyChild, clock: Clock): PtyInput {
  const enqueueWrite = createInputQueue();
  const enqueue: PtyInput['enqueue'] = (step) =>
    enqueueWrite((firstTimeoutMs) => {
      let timeoutMs = firstTimeoutMs;
      return step(async (bytes) => {
        const result = await writeAll(child, { bytes, clock, timeoutMs });
        if (result.bytesWritten > 0) timeoutMs = readTimeoutMs;
        return result;
      });
    });
  return {
    write: (bytes) => enqueue((writeNow) => writeNow(bytes)),
    enqueue,
    answer: (text) => {
      try {
        child.tryWrite(Buffer.from(text));
      } catch {
        // The process has ended meanwhile.
      }
    },
  };
}

async function writeAll(
  child: PtyChild,
  { bytes, clock, timeoutMs }: { bytes: Uint8Array; clock: Clock; timeoutMs: number },
): Promise<WriteResult> {
  let bytesWritten = 0;
  let giveUpAtMs = clock.nowMs() + timeoutMs;
  let pollMs = firstPollMs;
  while (bytesWritten < bytes.byteLength) {
    const written = tryPiece(child, bytes.subarray(bytesWritten, bytesWritten + pieceBytes));
    if (typeof written !== 'number') return { ok: false, bytesWritten, ...written };
    bytesWritten += written;
    if (written > 0) {
      giveUpAtMs = clock.nowMs() + readTimeoutMs;
      pollMs = firstPollMs;
      continue;
    }
    if (clock.nowMs() >= giveUpAtMs)
      return { ok: false, bytesWritten, code: 'notReading', error: notReadText };
    await pause(clock, { ms: pollMs });
    pollMs = toNextPollMs(pollMs);
  }
  return { ok: true, bytesWritten };
}

type Refusal = { readonly code: WriteFailure; readonly error: string };

function tryPiece(child: PtyChild, piece: Uint8Array): number | Refusal {
  if (!child.isOpen) return { code: 'closed', error: 'Its terminal is closed: the process has ended.' };
  try {
    return child.tryWrite(piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EIO')
      return { code: 'closed', error: 'Its terminal is closed: no process holds it.' };
    return { code: 'broken', error: `The input could not be written: ${toErrorText(error)}.` };
  }
}
