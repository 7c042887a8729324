import type { Writable } from 'node:stream';
import type { WriteFailure, WriteResult } from '../../../machines/process/events.ts';
import type { Clock } from '../../clock/clock.ts';

/** The writing end of a process's stdin. Writes are taken in order, one after another; one that breaks stops none after it. */
export interface InputWriter {
  /**
   * Goes on as long as something is read every ten seconds. After a refusal `bytesWritten` are in for certain; the piece
   * under way, of 16 KiB at most, cannot be taken back and may still arrive.
   */
  write(data: Uint8Array): Promise<WriteResult>;
  /** End-of-file, after all that was written before. */
  end(): Promise<WriteResult>;
}

/** How long a process that does not read is waited for, anew for each piece. */
const PATIENCE_MS = 10_000;

/** Written at once: what is in the pipe when patience ends is uncertain by less than this. */
const PIECE_BYTES = 16 * 1024;

const closed = 'Its input is closed: the process ended or closed it.';

export function createInputWriter(stdin: Writable, clock: Clock): InputWriter {
  let last: Promise<unknown> = Promise.resolve();
  const queue = <T>(step: () => Promise<T>): Promise<T> => {
    const done = last.then(step);
    last = done.catch(() => {});
    return done;
  };
  // Without a listener, a process that closed its stdin would end this program.
  stdin.on('error', () => {});

  return {
    write: (data) => queue(() => writeAll(stdin, { data, clock })),
    end: () =>
      queue(async () => {
        if (!stdin.writable)
          return refusal('closed', { bytesWritten: 0, error: 'Its input is closed already.' });
        stdin.end();
        return { ok: true, bytesWritten: 0 };
      }),
  };
}

async function writeAll(
  stdin: Writable,
  { data, clock }: { data: Uint8Array; clock: Clock },
): Promise<WriteResult> {
  let bytesWritten = 0;
  while (bytesWritten < data.byteLength) {
    if (!stdin.writable) return refusal('closed', { bytesWritten, error: closed });
    const piece = data.subarray(bytesWritten, bytesWritten + PIECE_BYTES);
    const outcome = await writePiece(stdin, { piece, clock });
    if (outcome === 'late') {
      const error =
        `It has not read its input for ${PATIENCE_MS / 1_000} s. ` +
        `Up to ${piece.byteLength} bytes more are on the way and may still arrive.`;
      return refusal('notReading', { bytesWritten, error });
    }
    if (outcome === 'broken') return refusal('closed', { bytesWritten, error: closed });
    bytesWritten += piece.byteLength;
  }
  return { ok: true, bytesWritten };
}

function writePiece(
  stdin: Writable,
  { piece, clock }: { piece: Uint8Array; clock: Clock },
): Promise<'in' | 'late' | 'broken'> {
  return new Promise((resolve) => {
    const cancel = clock.at(clock.nowMs() + PATIENCE_MS, () => resolve('late'));
    stdin.write(piece, (error) => {
      cancel();
      resolve(error == null ? 'in' : 'broken');
    });
  });
}

function refusal(code: WriteFailure, why: { bytesWritten: number; error: string }): WriteResult {
  return { ok: false, ...why, code };
}
