import { toError } from '../config/error-text.ts';
import type { ToolAnswer } from './tool.ts';

/**
 * To be called once an answer is in a transcript, or was sent: see `ToolAnswer.onRecorded`. That is somebody else's code: what it
 * throws, or rejects with, becomes a warning.
 */
export function tellRecorded(answer: ToolAnswer): void {
  const tell = async () => answer.onRecorded?.();
  tell().catch((error) => process.emitWarning(toError(error)));
}
