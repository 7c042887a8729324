import { fstatSync } from 'node:fs';
import type { WriteResult } from '../../../machines/process/events.ts';
import type { CliIo } from '../cli-io.ts';

/** Who gets our input. */
export interface InputTarget {
  write(data: Uint8Array): Promise<WriteResult>;
  endInput(): Promise<WriteResult>;
  /**
   * What has become of what was refused as `notReading`. A pipe has it on its way all the same (`underWay`, the default); a terminal has got
   * no more than it counted (`notGiven`).
   */
  readonly unread?: 'underWay' | 'notGiven';
}

/** One piece of this size is never torn apart by a process that is slow to read. */
const PIECE_BYTES = 16 * 1024;

/**
 * Whether our stdin is handed on. A terminal is not, unless it is asked for: programs that look for input on a pipe would wait for it.
 * Of a device such as /dev/null, end-of-file is all there is, and the command gets just that.
 */
export function hasInput({ stdin }: Pick<CliIo, 'stdin'>, { asked }: { readonly asked: boolean }): boolean {
  if (stdin.isTTY) return asked;
  const { fd = 0 } = stdin as { readonly fd?: number };
  try {
    return !fstatSync(fd).isCharacterDevice();
  } catch {
    return false;
  }
}

/** Hands on what comes on stdin, piece by piece as it is taken, and its end, once each. Returns when nothing more is taken; rejects as the taker does. */
export async function forwardInput({ stdin }: Pick<CliIo, 'stdin'>, taker: InputTarget): Promise<void> {
  for await (const piece of readPieces(stdin)) {
    if (!(await forwardPiece(piece, taker))) return;
  }
  await forwardEnd(taker);
}

/** A piece that is under way is not to be written twice; what a terminal did not get is given again. `false`: nothing more is taken. */
async function forwardPiece(piece: Uint8Array, taker: InputTarget): Promise<boolean> {
  for (let rest = piece; ; ) {
    const result = await taker.write(rest);
    if (result.ok || result.code !== 'notReading') return result.ok;
    if (taker.unread !== 'notGiven') return true;
    rest = rest.subarray(result.bytesWritten);
    if (rest.byteLength === 0) return true;
  }
}

/** In a terminal the end is typed, too. */
async function forwardEnd(taker: InputTarget): Promise<void> {
  for (;;) {
    const result = await taker.endInput();
    if (result.ok || result.code !== 'notReading' || taker.unread !== 'notGiven') return;
  }
}

/** What its reader throws does not come back into it. */
async function* readPieces(stdin: CliIo['stdin']): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stdin) yield* toPieces(chunk as Uint8Array);
  } catch {
    // A terminal that was closed, or a broken pipe: that is its end.
  }
}

function* toPieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
