import type { WriteResult } from '../../../machines/process/events.ts';
import type { KeyStroke, Paste } from '../../../machines/process/terminal.ts';
import type { Clock } from '../../clock/clock.ts';
import { pause } from '../../clock/pause.ts';

/** Time for a program to take one key before the next: it may redraw, or throw away what was typed too early. */
const betweenMs = 10;

/**
 * Escape is the first byte of other keys, too: whatever comes sooner makes Alt of it, or an arrow (vim waits 100 ms for that). So
 * nothing is typed for so long, also by the next order.
 */
const afterEscapeMs = 250;

/** Presses one after another; ends at the first that does not go in. `bytesWritten` counts all that did. */
export async function pressKeys(
  strokes: readonly (KeyStroke | Paste)[],
  options: {
    press: (stroke: KeyStroke | Paste) => Promise<WriteResult>;
    clock: Clock;
  },
): Promise<WriteResult> {
  let bytesWritten = 0;
  for (const stroke of strokes) {
    const result = await options.press(stroke);
    bytesWritten += result.bytesWritten;
    if (!result.ok) return { ...result, bytesWritten };
    await pause(options.clock, { ms: toPauseMs(stroke) });
  }
  return { ok: true, bytesWritten };
}

/** How long after it nothing is to be typed. */
export function toPauseMs(stroke: KeyStroke | Paste): number {
  return isEscape(stroke) ? afterEscapeMs : betweenMs;
}

function isEscape(stroke: KeyStroke | Paste): boolean {
  if (stroke.type === 'key') return stroke.key === 'Escape';
  return stroke.type === 'character' && stroke.ctrl && (stroke.character === '[' || stroke.character === '3');
}
