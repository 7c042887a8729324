import type { CaptureAnswer, ScreenCapture } from '../../../machines/process/terminal.ts';
import type { Cancel } from '../../clock/clock.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import type { CaptureOptions } from '../../process/process-terminal.ts';
import type { ProcessView } from '../../process/process-view.ts';
import { isEnded } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';

/** What a terminal shows, and how its process is then. */
export interface ShownScreen {
  readonly view: ProcessView;
  readonly screen: ScreenCapture;
}

/** What is typed, or has just been started, is drawn without longer pauses on all but the slowest machines. */
const QUIET_MS = 150;
const LONGEST_MS = 1_000;
const LOOK_EVERY_MS = 50;

/** How long the first sign of life may take. */
const patienceMs = { keys: 300, start: LONGEST_MS } as const;

interface Settling extends Pick<ToolContext, 'clock' | 'interrupt'> {
  /** What it has been given. */
  readonly after: keyof typeof patienceMs;
  /** How much it had printed before that. */
  readonly printedBytes: number;
}

/** The screen of a process once it has taken in what it was given; `null` where it cannot be had. */
export async function lookAt(handle: ProcessHandle, settling: Settling): Promise<ShownScreen | null> {
  await untilSettled(handle, settling);
  const shown = await readScreen(handle, { scrollbackLines: 0 });
  return 'ok' in shown ? null : shown;
}

/** The screen as it is now, with what the process waits for now. */
export async function readScreen(
  handle: ProcessHandle,
  options: CaptureOptions,
): Promise<ShownScreen | Extract<CaptureAnswer, { ok: false }>> {
  const answer = await handle.capture(options);
  if (!answer.ok) return answer;
  await handle.awaitedInput();
  return { view: handle.view(), screen: answer.screen };
}

/** Resolves when the process has printed nothing for a moment, has ended, or nobody wants to wait any longer; after 1 s in any case. */
function untilSettled(
  handle: ProcessHandle,
  { clock, interrupt, after, printedBytes }: Settling,
): Promise<void> {
  return new Promise((resolve) => {
    const sinceMs = clock.nowMs();
    /** Until when nothing more may come. */
    let quietUntilMs = sinceMs + patienceMs[after];
    let bytes = printedBytes;
    let cancel: Cancel = () => {};
    const done = () => {
      cancel();
      interrupt.removeEventListener('abort', done);
      resolve();
    };
    const look = () => {
      const view = handle.view();
      const nowMs = clock.nowMs();
      if (view.output.bytes !== bytes) quietUntilMs = nowMs + QUIET_MS;
      bytes = view.output.bytes;
      const isOver = isEnded(view) || nowMs >= quietUntilMs || nowMs - sinceMs >= LONGEST_MS;
      if (isOver) done();
      else cancel = clock.at(nowMs + LOOK_EVERY_MS, look);
    };
    interrupt.addEventListener('abort', done);
    if (interrupt.aborted) done();
    else cancel = clock.at(sinceMs + LOOK_EVERY_MS, look);
  });
}
