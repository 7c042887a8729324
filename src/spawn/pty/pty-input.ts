import type { WriteFailure, WriteResult } from '../../../machines/process/events.ts';
import type { Clock } from '../../clock/clock.ts';
import { toErrorText } from '../../config/error-text.ts';
import { pause } from '../terminal/pause.ts';
import type { PtyChild } from './pty-child.ts';

type Write = (bytes: Uint8Array) => Promise<WriteResult>;

/** What is typed into a terminal: one order after another, each undisturbed. */
export interface PtyInput {
  /**
   * Goes on as long as something is read every ten seconds; `bytesWritten` is exact. A terminal that takes whole lines keeps 4095
   * bytes of one and drops the rest, in silence.
   */
  write: Write;
  /** Several writes that belong together. */
  inTurn<T>(step: (write: Write) => Promise<T>): Promise<T>;
  /** What the terminal itself answers: at once, and for a program that does not read it is lost. */
  answer(text: string): void;
}

/** How long a program that does not read is waited for, anew whenever it has read something. */
const PATIENCE_MS = 10_000;
/** Nothing tells when there is room again. */
const firstLookMs = 1;
const longestLookMs = 20;
/** The terminal takes no more at once. */
const pieceBytes = 4 * 1024;

export function createPtyInput(child: PtyChild, clock: Clock): PtyInput {
  let last: Promise<unknown> = Promise.resolve();
  const write: Write = (bytes) => writeAll(child, { bytes, clock });
  const inTurn = <T>(step: (write: Write) => Promise<T>): Promise<T> => {
    const done = last.then(() => step(write));
    last = done.catch(() => {});
    return done;
  };
  return {
    write: (bytes) => inTurn((writeNow) => writeNow(bytes)),
    inTurn,
    answer: (text) => {
      try {
        child.tryWrite(Buffer.from(text));
      } catch {
        // It has ended meanwhile.
      }
    },
  };
}

async function writeAll(
  child: PtyChild,
  { bytes, clock }: { bytes: Uint8Array; clock: Clock },
): Promise<WriteResult> {
  let bytesWritten = 0;
  let giveUpAtMs = clock.nowMs() + PATIENCE_MS;
  let lookMs = firstLookMs;
  while (bytesWritten < bytes.byteLength) {
    const went = tryPiece(child, bytes.subarray(bytesWritten, bytesWritten + pieceBytes));
    if (typeof went !== 'number') return { ok: false, bytesWritten, ...went };
    bytesWritten += went;
    if (went > 0) {
      giveUpAtMs = clock.nowMs() + PATIENCE_MS;
      lookMs = firstLookMs;
      continue;
    }
    if (clock.nowMs() >= giveUpAtMs) return { ok: false, bytesWritten, ...notReading };
    await pause(lookMs, clock);
    lookMs = Math.min(lookMs * 2, longestLookMs);
  }
  return { ok: true, bytesWritten };
}

type Refusal = { readonly code: WriteFailure; readonly error: string };

const notReading: Refusal = {
  code: 'notReading',
  error: `It has not read what is typed for ${PATIENCE_MS / 1_000} s.`,
};

function tryPiece(child: PtyChild, piece: Uint8Array): number | Refusal {
  if (!child.isOpen) return { code: 'closed', error: 'Its terminal is closed: the process has ended.' };
  try {
    return child.tryWrite(piece);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EIO')
      return { code: 'closed', error: 'Its terminal is closed: nobody has it any more.' };
    return { code: 'broken', error: `It could not be written: ${toErrorText(error)}.` };
  }
}
