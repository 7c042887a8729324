import type { WriteResult } from '../../../machines/process/events.ts';
import type { CaptureAnswer } from '../../../machines/process/terminal.ts';
import { toErrorText } from '../../config/error-text.ts';
import { refuseScreen, refuseWrite } from '../tree-commands.ts';

/** Whoever has ordered something hears of it, also where it broke. */
export function answerWrite(result: Promise<WriteResult>, reply: (result: WriteResult) => void): void {
  void result
    .catch((error: unknown) => refuseWrite('broken', `It could not be typed: ${toErrorText(error)}.`))
    .then(reply);
}

/** The same for the screen. */
export function answerCapture(answer: Promise<CaptureAnswer>, reply: (answer: CaptureAnswer) => void): void {
  void answer
    .catch((error: unknown) => refuseScreen('broken', `The screen cannot be read: ${toErrorText(error)}.`))
    .then(reply);
}
