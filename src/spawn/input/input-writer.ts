import type { Writable } from 'node:stream';
import type { WriteResult } from '../../../machines/process/events.ts';
import type { Clock } from '../../clock/clock.ts';
import { refuseWrite } from '../refusals.ts';
import { createInputQueue, readTimeoutMs } from './queue-input.ts';

/** Writing end of a process's stdin. Writes are done in order, one after another; one that breaks stops none after it. */
interface InputWriter {
  /**
   * Writes as long as the process reads something every ten seconds. After a refusal `bytesWritten` are in for certain; the piece
   * under way, 16 KiB at most, may still arrive. Writes queued behind it are refused as well. With `waits` there is no such limit.
   */
  write(data: Uint8Array, options?: { readonly waits?: boolean }): Promise<WriteResult>;
  /** Sends the end of file after all earlier writes. */
  end(): Promise<WriteResult>;
}

/** Size of one write, and so the limit of what is uncertain after a timeout. */
const PIECE_BYTES = 16 * 1024;

const closed = 'Its input is closed: the process ended or closed it.';
const unread = `It has not read its input for ${readTimeoutMs / 1_000} s.`;

export function createInputWriter(stdin: Writable, clock: Clock): InputWriter {
  const enqueue = createInputQueue();
  // Without a listener, a process that closes its stdin would end this program.
  stdin.on('error', () => {});

  return {
    write: (data, { waits = false } = {}) =>
      enqueue((timeoutMs) => writeAll(stdin, { data, clock, timeoutMs: waits ? null : timeoutMs })),
    end: () =>
      enqueue(async () => {
        if (!stdin.writable) return refuseWrite('closed', 'Its input is closed already.');
        stdin.end();
        return { ok: true, bytesWritten: 0 };
      }),
  };
}

async function writeAll(
  stdin: Writable,
  { data, clock, timeoutMs }: { data: Uint8Array; clock: Clock; timeoutMs: number | null },
): Promise<WriteResult> {
  // Pieces that timed out earlier may have been read by now.
  if (timeoutMs === 0 && stdin.writableLength > 0) return refuseWrite('notReading', unread);
  let bytesWritten = 0;
  while (bytesWritten < data.byteLength) {
    if (!stdin.writable) return { ...refuseWrite('closed', closed), bytesWritten };
    const piece = data.subarray(bytesWritten, bytesWritten + PIECE_BYTES);
    const outcome = await writePiece(stdin, { piece, clock: timeoutMs === null ? null : clock });
    if (outcome === 'late') {
      const error = `${unread} Up to ${piece.byteLength} bytes more are on the way and may still arrive.`;
      return { ...refuseWrite('notReading', error), bytesWritten };
    }
    if (outcome === 'broken') return { ...refuseWrite('closed', closed), bytesWritten };
    bytesWritten += piece.byteLength;
  }
  return { ok: true, bytesWritten };
}

function writePiece(
  stdin: Writable,
  { piece, clock }: { piece: Uint8Array; clock: Clock | null },
): Promise<'in' | 'late' | 'broken'> {
  return new Promise((resolve) => {
    const cancel = clock?.at(clock.nowMs() + readTimeoutMs, () => resolve('late'));
    stdin.write(piece, (error) => {
      cancel?.();
      resolve(error == null ? 'in' : 'broken');
    });
  });
}
