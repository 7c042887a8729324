import type { WriteResult } from '../../../machines/process/events.ts';
import type { CaptureAnswer, TerminalCommand } from '../../../machines/process/terminal.ts';
import { createTailedFile } from '../../output/tailed-file.ts';
import { answerCapture, answerWrite } from '../terminal/answer-order.ts';
import { type InputPort, refuseWrite, type TerminalPort } from '../tree-commands.ts';
import { sizeCommands, type TmuxRequest } from './open-session.ts';
import { readScreen, toCaptureCommands } from './read-screen.ts';
import { type TmuxAnswer, type TmuxServer, toPaneTarget } from './tmux-server.ts';
import { toByteCommands, toKeyCommands, toProgram } from './to-key-commands.ts';

/** Up to here bytes go as words; more of them go through a buffer of tmux. */
const fewBytes = 1_024;
const endOfInput = Buffer.from([0x04]);

/** What one process is given and shows, by way of tmux. */
export interface PaneTerminal {
  readonly input: InputPort;
  readonly terminal: TerminalPort;
  capture(wish: { scrollbackLines: number; withDrawing: boolean }): Promise<CaptureAnswer>;
}

export function createPaneTerminal(
  { server, request }: { server: TmuxServer; request: TmuxRequest },
  wiring: {
    /** Resolves once it is known whether it was started: `null`, or why it takes nothing. */
    refusal: () => Promise<string | null>;
  },
): PaneTerminal {
  const { id, files } = request;
  const target = toPaneTarget(id);
  const log = createTailedFile({ path: files.log, statusPath: files.status, isExpected: false });
  let buffers = 0;
  /** What is typed comes one after another, also where an answer is not waited for. */
  let last: Promise<unknown> = Promise.resolve();

  function inTurn<Answer>(act: () => Promise<Answer>): Promise<Answer> {
    const answer = last.then(act);
    last = answer.catch(() => {});
    return answer;
  }

  async function take(bytes: number, ask: () => Promise<TmuxAnswer>): Promise<WriteResult> {
    const refusal = await wiring.refusal();
    if (refusal !== null) return refuseWrite('notRunning', refusal);
    if (bytes === 0) return { ok: true, bytesWritten: 0 };
    const answer = await inTurn(ask);
    if (answer.ok) return { ok: true, bytesWritten: bytes };
    if (answer.isGone) return refuseWrite('notRunning', ended);
    return refuseWrite('broken', `tmux did not take it: ${answer.error}.`);
  }

  /** tmux reads it from its input, whatever is in it. No copy of it stays there. */
  async function throughBuffer(bytes: Uint8Array, how: readonly string[]): Promise<TmuxAnswer> {
    buffers += 1;
    const name = `${id}-${process.pid}-${buffers}`;
    const answer = await server.give(bytes, [
      ['load-buffer', '-b', name, '-'],
      toProgram(target),
      ['paste-buffer', ...how, '-d', '-b', name, '-t', target],
    ]);
    if (!answer.ok) await server.give(new Uint8Array(), [['delete-buffer', '-b', name]]);
    return answer;
  }

  function write(data: Uint8Array): Promise<WriteResult> {
    return take(data.byteLength, () =>
      data.byteLength <= fewBytes ? server.ask(toByteCommands(data, target)) : throughBuffer(data, ['-r']),
    );
  }

  async function capture(wish: { scrollbackLines: number; withDrawing: boolean }): Promise<CaptureAnswer> {
    const refusal = await wiring.refusal();
    if (refusal !== null) return { ok: false, code: 'notRunning', error: refusal };
    // Before: what it has seen more than that comes again, and nothing is missed.
    const offset = log.bytes();
    const answer = await server.ask(toCaptureCommands(id, wish));
    if (!answer.ok)
      return {
        ok: false,
        code: answer.isGone ? 'notRunning' : 'broken',
        error: answer.isGone ? ended : answer.error,
      };
    const found = readScreen(answer.text, wish);
    if (found !== null) return { ok: true, ...found, offset };
    return { ok: false, code: 'broken', error: 'tmux did not say what the screen shows.' };
  }

  function obey(command: TerminalCommand<WriteResult>): void {
    switch (command.type) {
      case 'terminal.capture':
        return answerCapture(capture(command), command.reply);
      case 'terminal.paste': {
        // An end of the paste within it would have the rest taken for typed.
        const text = command.text.replaceAll('\x1b', '').replaceAll('\r\n', '\n');
        const bytes = Buffer.from(text);
        return answerWrite(
          take(bytes.byteLength, () => throughBuffer(bytes, ['-p'])),
          command.reply,
        );
      }
      case 'terminal.sendKeys': {
        const { commands, lastsMs } = toKeyCommands(command.strokes, target);
        const bytes = command.strokes.reduce(
          (sum, each) => sum + (each.type === 'text' ? Buffer.byteLength(each.text) : 1),
          0,
        );
        return answerWrite(
          take(bytes, () => server.ask(commands, { longestMs: 2 * lastsMs + patienceMs })),
          command.reply,
        );
      }
      case 'process.resize':
        return answerWrite(
          take(1, () => server.ask(sizeCommands(id, command))).then(withoutBytes),
          command.reply,
        );
    }
  }

  return {
    input: {
      write,
      end: () => write(endOfInput).then(withoutBytes),
    },
    terminal: { obey },
    capture,
  };
}

/** What was not asked to be written is not counted. */
function withoutBytes(result: WriteResult): WriteResult {
  return result.ok ? { ...result, bytesWritten: 0 } : result;
}

const patienceMs = 10_000;
const ended = 'It has ended, and its terminal with it.';
