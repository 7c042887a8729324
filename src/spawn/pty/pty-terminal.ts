import type { WriteResult } from '../../../machines/process/events.ts';
import type { CaptureAnswer, ScreenCapture, TerminalCommand } from '../../../machines/process/terminal.ts';
import type { Clock } from '../../clock/clock.ts';
import { toErrorText } from '../../config/error-text.ts';
import { answerCapture, answerWrite } from '../terminal/answer-order.ts';
import { encodeKeys, encodePaste, type KeyboardModes } from '../terminal/encode-keys.ts';
import { pressKeys } from '../terminal/press-keys.ts';
import type { Picture, Screen } from '../terminal/screen.ts';
import { refuseWrite, type TerminalPort } from '../tree-commands.ts';
import type { PtyChild } from './pty-child.ts';
import type { PtyInput } from './pty-input.ts';

/** The screen and the keyboard of one child. */
export interface PtyTerminal extends TerminalPort {
  /** The screen as it is now, as the last one. */
  takeLast(): Promise<ScreenCapture>;
  /** Nothing will change any more: takes the last screen, shows it from now on, and lets go of all else. */
  close(): Promise<ScreenCapture>;
}

type Command = TerminalCommand<WriteResult>;
type Of<T extends Command['type']> = Extract<Command, { type: T }>;

const bare = { scrollbackLines: 0, withDrawing: false };
const noModes: KeyboardModes = { applicationCursor: false, bracketedPaste: false };

export function createPtyTerminal(
  child: PtyChild,
  {
    screen,
    input,
    clock,
    hasExited,
  }: { screen: Screen; input: PtyInput; clock: Clock; hasExited: () => boolean },
): PtyTerminal {
  let closed: Promise<Picture> | null = null;

  const takeLast = async (): Promise<ScreenCapture> => ({
    ...(await (closed ?? screen.capture(bare))).screen,
    isLast: true,
  });

  async function capture(command: Of<'terminal.capture'>): Promise<CaptureAnswer> {
    const { screen: seen, drawing, offset } = await (closed ?? screen.capture(command));
    return { ok: true, screen: { ...seen, isLast: hasExited() }, drawing, offset };
  }

  function resize(size: Of<'process.resize'>): WriteResult {
    if (!child.isOpen) return refuseWrite('notRunning', 'Its terminal is closed: the process has ended.');
    try {
      child.resize(size);
      screen.resize(size);
      return { ok: true, bytesWritten: 0 };
    } catch (error) {
      return refuseWrite('broken', `Its size could not be changed: ${toErrorText(error)}.`);
    }
  }

  const modes = async () => (closed === null ? screen.modes() : noModes);

  const sendKeys = ({ strokes }: Of<'terminal.sendKeys'>) =>
    input.inTurn((write) =>
      pressKeys(strokes, { write, encode: async (stroke) => encodeKeys(stroke, await modes()), clock }),
    );

  const paste = ({ text }: Of<'terminal.paste'>) =>
    input.inTurn(async (write) => {
      const result = await write(Buffer.from(encodePaste(text, await modes())));
      // The marks around it are not what was asked for.
      return { ...result, bytesWritten: Math.min(result.bytesWritten, Buffer.byteLength(text)) };
    });

  return {
    obey: (command) => {
      switch (command.type) {
        case 'process.resize':
          return command.reply(resize(command));
        case 'terminal.sendKeys':
          return answerWrite(sendKeys(command), command.reply);
        case 'terminal.paste':
          return answerWrite(paste(command), command.reply);
        case 'terminal.capture':
          return answerCapture(capture(command), command.reply);
      }
    },
    takeLast,
    close: () => {
      if (closed === null) {
        closed = screen.capture(bare);
        screen.close();
      }
      return takeLast();
    },
  };
}
