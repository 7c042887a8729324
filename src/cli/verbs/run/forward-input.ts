import { fstatSync } from 'node:fs';
import type { WriteResult } from '../../../../machines/process/events.ts';
import type { CliIo } from '../../cli-io.ts';

/** Receiver of forwarded input. */
export interface InputTarget {
  write(data: Uint8Array): Promise<WriteResult>;
  endInput(): Promise<WriteResult>;
  /**
   * Fate of input refused as `notReading`: a pipe has queued it (`queued`, the default); a terminal has taken only the bytes it counted
   * (`dropped`).
   */
  readonly refusedInput?: 'queued' | 'dropped';
}

/** A piece of this size is never split by a process that reads slowly. */
const PIECE_BYTES = 16 * 1024;

/**
 * Returns whether to forward stdin. A terminal is forwarded only on request, because programs that look for input on a pipe would wait for
 * it. A device such as /dev/null yields only end-of-file, which the command gets without a pipe.
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

/** Forwards stdin piece by piece, then its end. Resolves once the target accepts no more; rejects as the target does. */
export async function forwardInput({ stdin }: Pick<CliIo, 'stdin'>, target: InputTarget): Promise<void> {
  for await (const piece of readPieces(stdin)) {
    if (!(await forwardPiece(piece, target))) return;
  }
  await forwardEnd(target);
}

/** Writes a piece, retrying what a terminal dropped. Returns `false` once the target accepts no more. */
async function forwardPiece(piece: Uint8Array, target: InputTarget): Promise<boolean> {
  for (let rest = piece; ; ) {
    const result = await target.write(rest);
    if (result.ok || result.code !== 'notReading') return result.ok;
    if (target.refusedInput !== 'dropped') return true;
    rest = rest.subarray(result.bytesWritten);
    if (rest.byteLength === 0) return true;
  }
}

/** Sends end-of-file, which is a key in a terminal and may be dropped as well. */
async function forwardEnd(target: InputTarget): Promise<void> {
  for (;;) {
    const result = await target.endInput();
    if (result.ok || result.code !== 'notReading' || target.refusedInput !== 'dropped') return;
  }
}

/** Yields the pieces of stdin. Errors of stdin count as its end; errors of the consumer do not reach this generator. */
async function* readPieces(stdin: CliIo['stdin']): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stdin) yield* toPieces(chunk as Uint8Array);
  } catch {
    // A closed terminal or a broken pipe is the end of the input.
  }
}

function* toPieces(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES) yield bytes.subarray(at, at + PIECE_BYTES);
}
