import type { WriteResult } from '../../../machines/process/events.ts';
import type { KeyStroke, Paste } from '../../../machines/process/terminal.ts';
import type { Clock } from '../../clock/clock.ts';
import { notReadText, readTimeoutMs } from '../input/queue-input.ts';
import { refuseWrite } from '../refusals.ts';
import { toPasted } from '../terminal/encode-keys.ts';
import { type InputPlace, waitUntilTaken } from './held-input.ts';
import { answerTimeoutMs, type TmuxAnswer, type TmuxServer, toPaneTarget } from './tmux-server.ts';
import { toByteCommands, toKeyCommands, toProgram } from './to-key-commands.ts';

/** Up to this size bytes are sent as words of a command; more go through a tmux buffer. */
const maxWordBytes = 1_024;
/** More than a terminal takes at once, so that the calls do not slow a reader down. */
const pieceBytes = 16 * 1024;

/** Types into a terminal of tmux, which takes whatever it is given whether its program reads it or not. */
interface PaneTyping {
  /** Waits until the terminal has taken what was typed before; `false` where its program has not read within the timeout. */
  isTaken(timeoutMs?: number): Promise<boolean>;
  typeBytes(bytes: Uint8Array): Promise<WriteResult>;
  typeParts(parts: readonly TypedPart[]): Promise<WriteResult>;
}

/** A part of a key sequence that tmux types in its own way. */
export type TypedPart =
  /** A text that is too long for one piece. */
  | { readonly type: 'bytes'; readonly bytes: Uint8Array }
  | { readonly type: 'paste'; readonly bytes: Uint8Array }
  | { readonly type: 'strokes'; readonly strokes: KeyStroke[] };

export function createPaneTyping({
  server,
  id,
  clock,
}: {
  server: TmuxServer;
  id: string;
  clock: Clock;
}): PaneTyping {
  const target = toPaneTarget(id);
  const askPlace = ['display-message', '-p', '-t', target, placeFormat];
  let buffers = 0;
  /** Known after the first answer of the server. */
  let place: InputPlace | null = null;

  async function isTaken(timeoutMs = readTimeoutMs): Promise<boolean> {
    return place === null || (await waitUntilTaken(place, { clock, timeoutMs }));
  }

  async function send(bytes: number, ask: () => Promise<TmuxAnswer>): Promise<WriteResult> {
    if (!(await isTaken())) return refuseWrite('notReading', notReadText);
    const answer = await ask();
    if (!answer.ok) return toRefusal(answer);
    place = parsePlace(answer.text) ?? place;
    return { ok: true, bytesWritten: bytes };
  }

  async function typeBytes(bytes: Uint8Array): Promise<WriteResult> {
    let bytesWritten = 0;
    while (bytesWritten < bytes.byteLength) {
      const piece = bytes.subarray(bytesWritten, bytesWritten + pieceBytes);
      const result = await send(piece.byteLength, () =>
        piece.byteLength <= maxWordBytes
          ? server.ask([...toByteCommands(piece, target), askPlace])
          : typeThroughBuffer(piece, ['-r']),
      );
      if (!result.ok) return { ...result, bytesWritten };
      bytesWritten += result.bytesWritten;
    }
    return { ok: true, bytesWritten };
  }

  /** Pastes in one piece, because tmux itself sets the marks around it. */
  async function paste(bytes: Uint8Array): Promise<WriteResult> {
    const result = await send(bytes.byteLength, () => typeThroughBuffer(bytes, ['-p']));
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
        return typeBytes(part.bytes);
      case 'paste':
        return paste(part.bytes);
      case 'strokes':
        return press(part.strokes);
    }
  }

  function press(strokes: readonly KeyStroke[]): Promise<WriteResult> {
    const { commands, lastsMs } = toKeyCommands(strokes, target);
    const timeoutMs = 2 * lastsMs + answerTimeoutMs;
    return send(countBytes(strokes), () => server.ask([...commands, askPlace], { timeoutMs }));
  }

  /** Hands bytes to tmux on its input, whatever they contain, and keeps no copy of them there. */
  async function typeThroughBuffer(bytes: Uint8Array, flags: readonly string[]): Promise<TmuxAnswer> {
    buffers += 1;
    const name = `${id}-${process.pid}-${buffers}`;
    const answer = await server.run(bytes, [
      ['load-buffer', '-b', name, '-'],
      toProgram(target),
      ['paste-buffer', ...flags, '-d', '-b', name, '-t', target],
      askPlace,
    ]);
    if (!answer.ok) await server.run(new Uint8Array(), [['delete-buffer', '-b', name]]);
    return answer;
  }

  return { isTaken, typeBytes, typeParts };
}

/** Groups strokes into parts, without those that type nothing. */
export function toParts(strokes: readonly (KeyStroke | Paste)[]): readonly TypedPart[] {
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

export const paneEnded = 'Its terminal is closed: the process has ended or lost it.';
const notAllRead = `It has not read all of it within ${readTimeoutMs / 1_000} s: tmux keeps the rest until it does.`;

export function toRefusal({ isGone, error }: Extract<TmuxAnswer, { ok: false }>): WriteResult {
  if (isGone) return refuseWrite('notRunning', paneEnded);
  return refuseWrite('broken', `tmux refused it: ${error}.`);
}

const placeFormat = 'place #{pid} #{pane_tty}';

function parsePlace(text: string): InputPlace | null {
  const [, pid, tty] = /^place (\d+) (\S+)$/m.exec(text) ?? [];
  return tty === undefined ? null : { serverPid: Number(pid), tty };
}
