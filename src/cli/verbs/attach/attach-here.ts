import type { WriteResult } from '../../../../machines/process/events.ts';
import type { CaptureAnswer, TerminalSize } from '../../../../machines/process/terminal.ts';
import { toErrorText } from '../../../config/error-text.ts';
import { TroupeError } from '../../../config/troupe-error.ts';
import type { ProcessView } from '../../../process/process-view.ts';
import type { StateDirectory } from '../../../state-directory/state-directory.ts';
import type { CliIo } from '../../cli-io.ts';
import { type EndSignal, onEndSignal } from '../../end-signals.ts';
import { toVisible } from '../../render/printable.ts';
import { toProcessName } from '../../render/process-text.ts';
import { findLeaveKey, type LeaveKey } from './leave-key.ts';
import { enterRawMode, type RawTerminal } from './raw-terminal.ts';

/** The way in which an attachment ended. */
export type AttachEnd =
  | { readonly type: 'left' }
  /** The terminal of the process was closed; its fate is recorded a moment later. `why` is set if the terminal was never shown. */
  | { readonly type: 'closed'; readonly why: string | null }
  /** The process ended. `wasShown`: its last screen is on ours. */
  | { readonly type: 'ended'; readonly wasShown: boolean }
  | { readonly type: 'signalled'; readonly signal: EndSignal }
  | { readonly type: 'refused'; readonly why: string };

export interface AttachCall {
  readonly view: ProcessView;
  readonly state: StateDirectory;
  readonly io: CliIo;
  readonly leaveKey: LeaveKey;
  readonly isReadOnly: boolean;
  /** Called immediately, because a second signal ends the program. */
  readonly onSignal?: (signal: EndSignal) => void;
}

/** Detaches in read-only mode, too. */
const CTRL_C = '\x03';

type Captured = Extract<CaptureAnswer, { ok: true }>;

/**
 * Shows the terminal of a process in ours until the person detaches or the process ends: first its screen, then new output. Always
 * restores our terminal, and the size of the other one, unless another client has changed that size meanwhile.
 */
export async function attachHere(call: AttachCall): Promise<AttachEnd> {
  const { view, state, io, leaveKey, isReadOnly } = call;
  const { id } = view;
  const first = await state.capture(id);
  if (!first.ok) return { type: 'refused', why: first.error };
  if (first.screen.isLast) return { type: 'ended', wasShown: false };

  const { promise: away, resolve, reject: fail } = Promise.withResolvers<AttachEnd>();
  let hasLeft = false;
  const leave = (end: AttachEnd) => {
    hasLeft = true;
    resolve(end);
  };
  const over = new AbortController();
  const leaveBy = (signal: EndSignal) => {
    call.onSignal?.(signal);
    leave({ type: 'signalled', signal });
  };
  /** The input of a terminal ends only when it is closed. After detaching, that means nothing. */
  const onClosed = () => {
    if (!hasLeft) leaveBy('SIGHUP');
  };
  const removeSignals = onEndSignal(leaveBy);
  const terminal = enterRawMode(io, {
    title: `${toVisible(toProcessName(view))} – ${leaveKey.name} detaches`,
  });
  const typed = createTypedInput({
    write: (data) => state.write(id, data),
    onRefused: () => void terminal.write(Buffer.from('\x07')),
    onFault: fail,
  });
  const onTyped = (bytes: Buffer) => {
    const before = findLeaveKey(bytes, leaveKey);
    if (!isReadOnly) typed.push(before ?? bytes);
    if (before !== null || (isReadOnly && bytes.includes(CTRL_C))) leave({ type: 'left' });
  };
  const follow = () => resizeTo(terminal.size, call).catch(fail);
  try {
    io.stdin.on('data', onTyped).on('end', onClosed).on('error', onClosed);
    io.stdin.resume();
    if (!isReadOnly) io.stdout.on('resize', follow);
    if (!isReadOnly) await resizeTo(terminal.size, call);
    show(call, { terminal, signal: over.signal }).then(
      () => leave({ type: 'ended', wasShown: true }),
      (error) => (over.signal.aborted ? undefined : fail(error)),
    );
    return await away;
  } finally {
    hasLeft = true;
    over.abort();
    // The listener for errors stays: an unhandled error would end the program.
    io.stdin.off('data', onTyped).off('end', onClosed).pause();
    io.stdout.off('resize', follow);
    const now = await findEnd(call, terminal).catch(() => null);
    // A client that attached later may have resized it.
    const isStillOurs = now === null || isSameSize(now, terminal.size);
    terminal.giveBack();
    if (!isReadOnly && isStillOurs) await resizeTo(first.screen, call).catch(() => {});
    removeSignals();
  }
}

/** Draws the screen, then writes new output. If output was dropped, it draws the screen again. */
async function show(
  { view: { id }, state }: AttachCall,
  { terminal, signal }: { readonly terminal: RawTerminal; readonly signal: AbortSignal },
): Promise<void> {
  let shownTo = await draw(id, { state, terminal });
  for await (const { bytes, offset, droppedBytes } of state.follow(id, { from: shownTo, signal })) {
    if (droppedBytes > 0) shownTo = await draw(id, { state, terminal });
    const known = Math.max(0, shownTo - offset);
    if (known < bytes.byteLength) await terminal.write(bytes.subarray(known));
    shownTo = Math.max(shownTo, offset + bytes.byteLength);
  }
}

/** Draws the screen. @returns the offset of the output that the screen includes. */
async function draw(
  id: string,
  { state, terminal }: { readonly state: StateDirectory; readonly terminal: RawTerminal },
): Promise<number> {
  const captured = await state.capture(id, { withDrawing: true });
  if (!captured.ok) throw new TroupeError({ code: 'unreachable', message: captured.error });
  await terminal.draw(toDrawing(captured));
  return captured.offset;
}

/** Returns the drawing of a screen. A screen that contains a secret has none, and is drawn without colours. */
function toDrawing({ drawing, screen: { lines, cursor } }: Captured): string {
  return drawing ?? `${lines.join('\r\n')}\x1b[${cursor.row + 1};${cursor.column + 1}H`;
}

/** Marks the last used row, so that leaving does not scroll the screen, and returns the size of the terminal; `null` without one. */
async function findEnd(
  { view: { id }, state }: AttachCall,
  terminal: RawTerminal,
): Promise<TerminalSize | null> {
  const now = await state.capture(id);
  if (!now.ok) return null;
  if (now.screen.isAlternate) return now.screen;
  const { lines, cursor, isLast } = now.screen;
  const lastLine = lines.findLastIndex((line) => line !== '');
  terminal.endsAt(isLast ? lastLine : Math.max(lastLine, cursor.row));
  return now.screen;
}

function isSameSize(one: TerminalSize, other: TerminalSize): boolean {
  return one.columns === other.columns && one.rows === other.rows;
}

async function resizeTo({ columns, rows }: TerminalSize, { view, state }: AttachCall): Promise<void> {
  await state.resize(view.id, { columns, rows }).catch((error: unknown) => {
    // Refused if our size is out of bounds or the process has ended.
    if (!(error instanceof TroupeError)) throw new Error(toErrorText(error), { cause: error });
  });
}

/** Forwards typed input in order, one write at a time; input that arrives during a write is sent with the next one. */
export interface TypedInput {
  push(bytes: Buffer): void;
}

export function createTypedInput(deps: {
  write(data: Uint8Array): Promise<WriteResult>;
  /** Called when the process has ended or does not read. */
  onRefused(): void;
  onFault(error: unknown): void;
}): TypedInput {
  let waiting: Buffer[] = [];
  let isWriting = false;

  const passOn = async () => {
    isWriting = true;
    while (waiting.length > 0) {
      const data = Buffer.concat(waiting);
      waiting = [];
      const result = await deps.write(data);
      if (!result.ok) deps.onRefused();
    }
    isWriting = false;
  };
  return {
    push: (bytes) => {
      if (bytes.byteLength === 0) return;
      waiting.push(bytes);
      if (!isWriting) passOn().catch(deps.onFault);
    },
  };
}
