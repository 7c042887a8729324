import type { BackendCommand, WriteFailure, WriteResult } from '../../machines/process/events.ts';
import type { CaptureAnswer, TerminalCommand } from '../../machines/process/terminal.ts';
import { toErrorText } from '../config/error-text.ts';
import type { BackendPort } from './backend.ts';

type ScreenFailure = Extract<CaptureAnswer, { ok: false }>['code'];

export function refuseWrite(code: WriteFailure, error: string): WriteResult {
  return { ok: false, bytesWritten: 0, code, error };
}

export function refuseScreen(code: ScreenFailure, error: string): CaptureAnswer {
  return { ok: false, code, error };
}

/** Answers a terminal command for a process without a terminal. */
export function refuseTerminal(command: TerminalCommand<WriteResult>): void {
  const error = 'It has no terminal: start it with interactive: true.';
  if (command.type === 'terminal.capture') command.reply(refuseScreen('noTerminal', error));
  else command.reply(refuseWrite('noTerminal', error));
}

/** Answers an order to signal, pause or resume work that has no operating-system process. */
export function refuseSignal(
  { reply }: Extract<BackendCommand, { type: 'tree.signal' | 'tree.pause' | 'tree.resume' }>,
  error: string,
): void {
  reply({ ok: false, error });
}

/** Input of a process that was started without one. */
export const noInput = {
  code: 'noInput',
  refusal: 'It was started without input: start it with stdin: "pipe".',
} as const;

/**
 * Answers every command of an attempt that was never started: commands may arrive before the failure is known. Must be
 * called in the turn of `run` or `adopt`, instead of `port.onCommand`.
 */
export function refuseAll({ onCommand, tell }: Pick<BackendPort, 'onCommand' | 'tell'>): void {
  onCommand((command) => {
    switch (command.type) {
      case 'tree.end':
        return tell({ type: 'tree.gone', ended: [] });
      case 'tree.signal':
      case 'tree.pause':
      case 'tree.resume':
        return refuseSignal(command, notRunning);
      case 'tree.survey':
        return tell({ type: 'tree.surveyed', leftovers: [] });
      case 'start.cancel':
        return;
      case 'output.settle':
        return tell({ type: 'output.quieted' });
      case 'terminal.capture':
        return command.reply(refuseScreen('notRunning', notRunning));
      default:
        return command.reply(refuseWrite('notRunning', notRunning));
    }
  });
}

const notRunning = 'It is not running.';

/** Replies with the result of a write to a terminal, or with the error that broke it. */
export function answerWrite(result: Promise<WriteResult>, reply: (result: WriteResult) => void): void {
  void result
    .catch((error: unknown) => refuseWrite('broken', `The input could not be typed: ${toErrorText(error)}.`))
    .then(reply);
}

/** Replies with a captured screen, or with the error that broke the capture. */
export function answerCapture(answer: Promise<CaptureAnswer>, reply: (answer: CaptureAnswer) => void): void {
  void answer
    .catch((error: unknown) => refuseScreen('broken', `The screen cannot be read: ${toErrorText(error)}.`))
    .then(reply);
}
