import type { WriteResult } from '../../../machines/process/events.ts';
import type { KeyStroke, Paste } from '../../../machines/process/terminal.ts';
import type { Clock } from '../../clock/clock.ts';
import { pause } from '../../clock/pause.ts';

/** Time a program gets for one key before the next: it may redraw, or discard what was typed too early. */
const betweenMs = 10;

/**
 * Time a program gets after Escape, which is also the first byte of other keys: a sooner key would become Alt or an arrow (vim
 * waits 100 ms). Also holds for the next command.
 */
const afterEscapeMs = 250;

/** Presses keys one after another; ends at the first that fails. `bytesWritten` counts all that were written. */
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

/** Returns the time after a stroke in which nothing may be typed. */
export function toPauseMs(stroke: KeyStroke | Paste): number {
  return isEscape(stroke) ? afterEscapeMs : betweenMs;
}

function isEscape(stroke: KeyStroke | Paste): boolean {
  if (stroke.type === 'key') return stroke.key === 'Escape';
  return stroke.type === 'character' && stroke.ctrl && (stroke.character === '[' || stroke.character === '3');
}
