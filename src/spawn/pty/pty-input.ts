import type { WriteFailure, WriteResult } from '../../../machines/process/events.ts';
import type { Clock } from '../../clock/clock.ts';
import { pause } from '../../clock/pause.ts';
import { toErrorText } from '../../config/error-text.ts';
import { createInTurn } from '../input/in-turn.ts';
import { firstLookMs, notRead, readingPatienceMs, toNextLookMs } from '../input/reading-patience.ts';
import type { PtyChild } from './pty-child.ts';

export type PtyWrite = (bytes: Uint8Array) => Promise<WriteResult>;

/** What is typed into a terminal: one order after another, each undisturbed. */
export interface PtyInput {
  /**
   * Goes on as long as something is read every ten seconds; `bytesWritten` is exact. A terminal that takes whole lines keeps 4095
   * bytes of one and drops the rest, in silence.
   */
  write: PtyWrite;
  /** Several writes that belong together. What stood behind one that was not read is refused with it, unless there is room again. */
  inTurn(step: (write: PtyWrite) => Promise<WriteResult>): Promise<WriteResult>;
  /** What the terminal itself answers: at once, and for a program that does not read it is lost. */
  answer(text: string): void;
}

/** The terminal takes no more at once. */
const pieceBytes = 4 * 1024;

export function createPtyInput(child: PtyChild, clock: Clock): PtyInput {
  const takeTurn = createInTurn();
  const inTurn: PtyInput['inTurn'] = (step) =>
    takeTurn((firstPatienceMs) => {
      let patienceMs = firstPatienceMs;
      return step(async (bytes) => {
        const result = await writeAll(child, { bytes, clock, patienceMs });
        if (result.bytesWritten > 0) patienceMs = readingPatienceMs;
        return result;
      });
    });
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
  { bytes, clock, patienceMs }: { bytes: Uint8Array; clock: Clock; patienceMs: number },
): Promise<WriteResult> {
  let bytesWritten = 0;
  let giveUpAtMs = clock.nowMs() + patienceMs;
  let lookMs = firstLookMs;
  while (bytesWritten < bytes.byteLength) {
    const went = tryPiece(child, bytes.subarray(bytesWritten, bytesWritten + pieceBytes));
    if (typeof went !== 'number') return { ok: false, bytesWritten, ...went };
    bytesWritten += went;
    if (went > 0) {
      giveUpAtMs = clock.nowMs() + readingPatienceMs;
      lookMs = firstLookMs;
      continue;
    }
    if (clock.nowMs() >= giveUpAtMs) return { ok: false, bytesWritten, code: 'notReading', error: notRead };
    await pause(clock, { ms: lookMs });
    lookMs = toNextLookMs(lookMs);
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
      return { code: 'closed', error: 'Its terminal is closed: nobody has it any more.' };
    return { code: 'broken', error: `It could not be written: ${toErrorText(error)}.` };
  }
}
