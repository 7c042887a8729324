import type { WriteResult } from '../../../machines/process/events.ts';
import type { CaptureAnswer, TerminalCommand, TerminalSize } from '../../../machines/process/terminal.ts';
import type { Clock } from '../../clock/clock.ts';
import { StatusMapReader } from '../../output/read-log-map.ts';
import { createTailedFile } from '../../output/tailed-file.ts';
import { createInputQueue, notReadText } from '../input/queue-input.ts';
import { answerCapture, answerWrite, refuseWrite } from '../refusals.ts';
import type { InputPort, TerminalPort } from '../tree-commands.ts';
import { type CaptureOptions, readScreen, toCaptureCommands } from './capture-screen.ts';
import { sizeCommands, type TmuxRequest } from './open-session.ts';
import { createPaneTyping, paneEnded, toParts, toRefusal } from './pane-typing.ts';
import type { TmuxServer } from './tmux-server.ts';

const endOfInput = Buffer.from([0x04]);

/** Input and screen of one process in tmux. */
interface PaneTerminal {
  readonly input: InputPort;
  readonly terminal: TerminalPort;
  capture(options: CaptureOptions): Promise<CaptureAnswer>;
}

export function createPaneTerminal({
  server,
  request,
  clock,
  getRefusal,
}: {
  server: TmuxServer;
  request: TmuxRequest;
  clock: Clock;
  /** Resolves once it is known whether the process was started: to `null`, or to the reason why it takes nothing. */
  getRefusal: () => Promise<string | null>;
}): PaneTerminal {
  const { id, files } = request;
  const log = createTailedFile({
    ...{ path: files.log, isExpected: false },
    maps: new StatusMapReader(files.status),
  });
  const typing = createPaneTyping({ server, id, clock });
  /** Keeps input in order, even where its answer is not awaited. */
  const enqueueTyping = createInputQueue();
  /** A queue of its own: a resize does not wait for the program to read. */
  const enqueueResize = createInputQueue();

  async function whileRunning(act: () => Promise<WriteResult>): Promise<WriteResult> {
    const refusal = await getRefusal();
    return refusal === null ? act() : refuseWrite('notRunning', refusal);
  }

  function take(size: number, act: () => Promise<WriteResult>): Promise<WriteResult> {
    const actIfRead = async (timeoutMs: number) =>
      timeoutMs > 0 || (await typing.isTaken(timeoutMs)) ? act() : refuseWrite('notReading', notReadText);
    return whileRunning(async () => (size === 0 ? { ok: true, bytesWritten: 0 } : enqueueTyping(actIfRead)));
  }

  function write(data: Uint8Array): Promise<WriteResult> {
    return take(data.byteLength, () => typing.typeBytes(data));
  }

  async function capture(options: CaptureOptions): Promise<CaptureAnswer> {
    const refusal = await getRefusal();
    if (refusal !== null) return { ok: false, code: 'notRunning', error: refusal };
    // Read before the capture: output that the screen already shows comes again, and none is missed.
    const offset = log.bytes();
    const answer = await server.ask(toCaptureCommands(id, options));
    if (!answer.ok)
      return {
        ok: false,
        code: answer.isGone ? 'notRunning' : 'broken',
        error: answer.isGone ? paneEnded : answer.error,
      };
    const found = readScreen(answer.text, options);
    if (found !== null) return { ok: true, ...found, offset };
    return { ok: false, code: 'broken', error: 'tmux did not return the screen.' };
  }

  async function resize(size: TerminalSize): Promise<WriteResult> {
    const answer = await server.ask(sizeCommands(id, size));
    return answer.ok ? { ok: true, bytesWritten: 0 } : toRefusal(answer);
  }

  function execute(command: TerminalCommand<WriteResult>): void {
    switch (command.type) {
      case 'terminal.capture':
        return answerCapture(capture(command), command.reply);
      case 'terminal.sendKeys': {
        const parts = toParts(command.strokes);
        return answerWrite(
          take(parts.length, () => typing.typeParts(parts)),
          command.reply,
        );
      }
      case 'process.resize':
        return answerWrite(
          whileRunning(() => enqueueResize(() => resize(command))),
          command.reply,
        );
    }
  }

  return {
    input: {
      write,
      end: () => write(endOfInput).then(withoutBytes),
    },
    terminal: { execute },
    capture,
  };
}

/** Counts no bytes for the end-of-file character, which the caller did not write. */
function withoutBytes(result: WriteResult): WriteResult {
  return result.ok ? { ...result, bytesWritten: 0 } : result;
}
