import type { WriteResult } from '../../../machines/process/events.ts';
import type {
  CaptureAnswer,
  KeyStroke,
  Paste,
  TerminalCommand,
  TerminalSize,
} from '../../../machines/process/terminal.ts';
import type { Clock } from '../../clock/clock.ts';
import { createTailedFile } from '../../output/tailed-file.ts';
import { createInTurn } from '../input/in-turn.ts';
import { notRead, readingPatienceMs } from '../input/reading-patience.ts';
import { answerCapture, answerWrite } from '../terminal/answer-order.ts';
import { toPasted } from '../terminal/encode-keys.ts';
import { type InputPort, refuseWrite, type TerminalPort } from '../tree-commands.ts';
import { type InputPlace, waitUntilTaken } from './held-input.ts';
import { sizeCommands, type TmuxRequest } from './open-session.ts';
import { readScreen, toCaptureCommands } from './read-screen.ts';
import { type TmuxAnswer, type TmuxServer, toPaneTarget } from './tmux-server.ts';
import { toByteCommands, toKeyCommands, toProgram } from './to-key-commands.ts';

/** Up to here bytes go as words; more of them go through a buffer of tmux. */
const fewBytes = 1_024;
/** More than a terminal takes at once, so that who reads is not slowed down by the calls. */
const pieceBytes = 16 * 1024;
const endOfInput = Buffer.from([0x04]);

/** What one process is given and shows, by way of tmux. */
export interface PaneTerminal {
  readonly input: InputPort;
  readonly terminal: TerminalPort;
  capture(wish: { scrollbackLines: number; withDrawing: boolean }): Promise<CaptureAnswer>;
}

export function createPaneTerminal(
  { server, request, clock }: { server: TmuxServer; request: TmuxRequest; clock: Clock },
  wiring: {
    /** Resolves once it is known whether it was started: `null`, or why it takes nothing. */
    refusal: () => Promise<string | null>;
  },
): PaneTerminal {
  const { id, files } = request;
  const target = toPaneTarget(id);
  const log = createTailedFile({ path: files.log, statusPath: files.status, isExpected: false });
  const sayPlace = ['display-message', '-p', '-t', target, placeFormat];
  let buffers = 0;
  let place: InputPlace | null = null;
  /** What is typed comes one after another, also where an answer is not waited for. */
  const typeInTurn = createInTurn();
  /** Besides: a size does not wait for the program to read. */
  const sizeInTurn = createInTurn();

  /** Where it is known, nothing goes in before what went in earlier was taken. */
  async function isTaken(patienceMs = readingPatienceMs): Promise<boolean> {
    return place === null || (await waitUntilTaken(place, { clock, patienceMs }));
  }

  async function whileRunning(act: () => Promise<WriteResult>): Promise<WriteResult> {
    const refusal = await wiring.refusal();
    return refusal === null ? act() : refuseWrite('notRunning', refusal);
  }

  function take(size: number, act: () => Promise<WriteResult>): Promise<WriteResult> {
    const actIfRead = async (patienceMs: number) =>
      patienceMs > 0 || (await isTaken(patienceMs)) ? act() : refuseWrite('notReading', notRead);
    return whileRunning(async () => (size === 0 ? { ok: true, bytesWritten: 0 } : typeInTurn(actIfRead)));
  }

  async function give(bytes: number, ask: () => Promise<TmuxAnswer>): Promise<WriteResult> {
    if (!(await isTaken())) return refuseWrite('notReading', notRead);
    const answer = await ask();
    if (!answer.ok) return toRefusal(answer);
    place = parsePlace(answer.text) ?? place;
    return { ok: true, bytesWritten: bytes };
  }

  /** Piece by piece: tmux takes whatever it is given, whether somebody reads it or not. */
  async function typeAll(bytes: Uint8Array): Promise<WriteResult> {
    let bytesWritten = 0;
    while (bytesWritten < bytes.byteLength) {
      const piece = bytes.subarray(bytesWritten, bytesWritten + pieceBytes);
      const result = await give(piece.byteLength, () =>
        piece.byteLength <= fewBytes
          ? server.ask([...toByteCommands(piece, target), sayPlace])
          : throughBuffer(piece, ['-r']),
      );
      if (!result.ok) return { ...result, bytesWritten };
      bytesWritten += result.bytesWritten;
    }
    return { ok: true, bytesWritten };
  }

  /** In one piece, since the marks around it are for tmux to set. */
  async function pasteAll(bytes: Uint8Array): Promise<WriteResult> {
    const result = await give(bytes.byteLength, () => throughBuffer(bytes, ['-p']));
    if (!result.ok || bytes.byteLength <= pieceBytes || (await isTaken())) return result;
    return { ok: false, bytesWritten: bytes.byteLength, code: 'notReading', error: notAllRead };
  }

  async function typeParts(parts: readonly TypedPart[]): Promise<WriteResult> {
    let bytesWritten = 0;
    for (const part of parts) {
      const result = await typePart(part);
      bytesWritten += result.bytesWritten;
      if (!result.ok) return { ...result, bytesWritten };
    }
    return { ok: true, bytesWritten };
  }

  function typePart(part: TypedPart): Promise<WriteResult> {
    switch (part.type) {
      case 'bytes':
        return typeAll(part.bytes);
      case 'paste':
        return pasteAll(part.bytes);
      case 'strokes':
        return press(part.strokes);
    }
  }

  function press(strokes: readonly KeyStroke[]): Promise<WriteResult> {
    const { commands, lastsMs } = toKeyCommands(strokes, target);
    const longestMs = 2 * lastsMs + patienceMs;
    return give(countBytes(strokes), () => server.ask([...commands, sayPlace], { longestMs }));
  }

  /** tmux reads it from its input, whatever is in it. No copy of it stays there. */
  async function throughBuffer(bytes: Uint8Array, how: readonly string[]): Promise<TmuxAnswer> {
    buffers += 1;
    const name = `${id}-${process.pid}-${buffers}`;
    const answer = await server.give(bytes, [
      ['load-buffer', '-b', name, '-'],
      toProgram(target),
      ['paste-buffer', ...how, '-d', '-b', name, '-t', target],
      sayPlace,
    ]);
    if (!answer.ok) await server.give(new Uint8Array(), [['delete-buffer', '-b', name]]);
    return answer;
  }

  function write(data: Uint8Array): Promise<WriteResult> {
    return take(data.byteLength, () => typeAll(data));
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

  async function resize(size: TerminalSize): Promise<WriteResult> {
    const answer = await server.ask(sizeCommands(id, size));
    return answer.ok ? { ok: true, bytesWritten: 0 } : toRefusal(answer);
  }

  function obey(command: TerminalCommand<WriteResult>): void {
    switch (command.type) {
      case 'terminal.capture':
        return answerCapture(capture(command), command.reply);
      case 'terminal.sendKeys': {
        const parts = toParts(command.strokes);
        return answerWrite(
          take(parts.length, () => typeParts(parts)),
          command.reply,
        );
      }
      case 'process.resize':
        return answerWrite(
          whileRunning(() => sizeInTurn(() => resize(command))),
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

function toRefusal({ isGone, error }: Extract<TmuxAnswer, { ok: false }>): WriteResult {
  if (isGone) return refuseWrite('notRunning', ended);
  return refuseWrite('broken', `tmux did not take it: ${error}.`);
}

const placeFormat = 'place #{pid} #{pane_tty}';

function parsePlace(text: string): InputPlace | null {
  const [, pid, tty] = /^place (\d+) (\S+)$/m.exec(text) ?? [];
  return tty === undefined ? null : { serverPid: Number(pid), tty };
}

/** What tmux takes in a way of its own. */
type TypedPart =
  /** A text that is too long for one piece. */
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'paste'; readonly bytes: Uint8Array }
  | { readonly type: 'strokes'; readonly strokes: KeyStroke[] };

/** Without those that type nothing. */
function toParts(strokes: readonly (KeyStroke | Paste)[]): readonly TypedPart[] {
  const parts: TypedPart[] = [];
  for (const stroke of strokes) {
    const last = parts.at(-1);
    if ('text' in stroke && stroke.text === '') continue;
    if (stroke.type === 'paste') parts.push({ type: 'paste', bytes: Buffer.from(toPasted(stroke.text)) });
    else if (stroke.type === 'text' && Buffer.byteLength(stroke.text) > pieceBytes)
      parts.push({ type: 'bytes', bytes: Buffer.from(stroke.text) });
    else if (last?.type === 'strokes') last.strokes.push(stroke);
    else parts.push({ type: 'strokes', strokes: [stroke] });
  }
  return parts;
}

function countBytes(strokes: readonly KeyStroke[]): number {
  return strokes.reduce((sum, each) => sum + (each.type === 'text' ? Buffer.byteLength(each.text) : 1), 0);
}

const patienceMs = 10_000;
const ended = 'Its terminal is closed: it has ended, or was cut off from it.';
const notAllRead = `It has not read all of it within ${readingPatienceMs / 1_000} s: tmux keeps the rest until it does.`;
