import type { WriteResult } from '../../../machines/process/events.ts';
import type {
  CaptureAnswer,
  KeyStroke,
  Paste,
  ScreenCapture,
  TerminalCommand,
} from '../../../machines/process/terminal.ts';
import type { Clock } from '../../clock/clock.ts';
import { toErrorText } from '../../config/error-text.ts';
import type { OutputSink } from '../../output/output-sink.ts';
import { answerCapture, answerWrite, refuseWrite } from '../refusals.ts';
import { encodeKeys, encodePaste, type KeyboardModes, toPasted } from '../terminal/encode-keys.ts';
import { pressKeys } from '../terminal/press-keys.ts';
import type { Screen, ScreenImage } from '../terminal/screen.ts';
import type { TerminalPort } from '../tree-commands.ts';
import type { PtyChild } from './pty-child.ts';
import type { PtyInput, PtyWrite } from './pty-input.ts';

/** Screen and keyboard of one child. */
interface PtyTerminal extends TerminalPort {
  /** Returns the current screen, marked as the last one. */
  takeLast(): Promise<ScreenCapture>;
  /** Takes the last screen, keeps it for later captures, and frees everything else. Called when nothing can change any more. */
  close(): Promise<ScreenCapture>;
}

type Look = ScreenImage & { readonly offset: number };
type Command = TerminalCommand<WriteResult>;
type Of<T extends Command['type']> = Extract<Command, { type: T }>;

const bare = { scrollbackLines: 0, withDrawing: false };
const noModes: KeyboardModes = { applicationCursor: false, bracketedPaste: false };

export function createPtyTerminal(
  child: PtyChild,
  {
    screen,
    input,
    output,
    clock,
    hasExited,
  }: {
    screen: Screen;
    input: PtyInput;
    /** Output with exactly the bytes that the screen was fed, and those before. */
    output: Pick<OutputSink, 'bytes'>;
    clock: Clock;
    hasExited: () => boolean;
  },
): PtyTerminal {
  let closed: Promise<Look> | null = null;

  function look(wish: Parameters<Screen['capture']>[0]): Promise<Look> {
    // Read before drawing: later output is not on the image.
    const offset = output.bytes;
    return screen.capture(wish).then((picture) => ({ ...picture, offset }));
  }

  const takeLast = async (): Promise<ScreenCapture> => ({
    ...(await (closed ?? look(bare))).screen,
    isLast: true,
  });

  async function capture(command: Of<'terminal.capture'>): Promise<CaptureAnswer> {
    const { screen: seen, drawing, offset } = await (closed ?? look(command));
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

  /** Encodes a stroke with the current modes, which the program may have switched since the last one. */
  async function press(stroke: KeyStroke | Paste, write: PtyWrite): Promise<WriteResult> {
    if (stroke.type === 'paste') return paste(stroke, write);
    return write(Buffer.from(encodeKeys(stroke, await modes())));
  }

  async function paste({ text }: Paste, write: PtyWrite): Promise<WriteResult> {
    const pasted = toPasted(text);
    const marked = encodePaste(text, await modes());
    const result = await write(Buffer.from(marked));
    // The marks around the text do not count as written.
    const written = Math.max(0, result.bytesWritten - marked.indexOf(pasted));
    return { ...result, bytesWritten: Math.min(written, Buffer.byteLength(pasted)) };
  }

  const sendKeys = ({ strokes }: Of<'terminal.sendKeys'>) =>
    input.enqueue((write) => pressKeys(strokes, { press: (stroke) => press(stroke, write), clock }));

  return {
    execute: (command) => {
      switch (command.type) {
        case 'process.resize':
          return command.reply(resize(command));
        case 'terminal.sendKeys':
          return answerWrite(sendKeys(command), command.reply);
        case 'terminal.capture':
          return answerCapture(capture(command), command.reply);
      }
    },
    takeLast,
    close: () => {
      if (closed === null) {
        closed = look(bare);
        screen.close();
      }
      return takeLast();
    },
  };
}
