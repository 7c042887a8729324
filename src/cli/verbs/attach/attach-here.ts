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
import { type RawTerminal, enterRawMode } from './raw-terminal.ts';

/** How a person came away from a terminal. */
export type AttachEnd =
  | { readonly type: 'left' }
  /** Its terminal was closed, and nobody left: what became of the process is told a moment later. `why`: it was never shown. */
  | { readonly type: 'closed'; readonly why: string | null }
  /** `wasShown`: what it showed last stands on our screen. */
  | { readonly type: 'ended'; readonly wasShown: boolean }
  | { readonly type: 'signalled'; readonly signal: EndSignal }
  | { readonly type: 'refused'; readonly why: string };

export interface AttachCall {
  readonly view: ProcessView;
  readonly state: StateDirectory;
  readonly io: CliIo;
  readonly leaveKey: LeaveKey;
  readonly isReadOnly: boolean;
  /** Called at once: a second signal leaves no time. */
  readonly onSignal?: (signal: EndSignal) => void;
}

/** Somebody may want to leave also where nothing can be typed. */
const CTRL_C = '\x03';

type Captured = Extract<CaptureAnswer, { ok: true }>;

/**
 * Shows the terminal of a process in ours until a person leaves or the process has ended: its screen, then what comes. Ours is given
 * back as it was in every case, and theirs has the size again that it was found in, unless somebody else has changed it meanwhile.
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
  /** A terminal has no end but that somebody closes it; whoever has left may do so. */
  const onClosed = () => {
    if (!hasLeft) leaveBy('SIGHUP');
  };
  const removeSignals = onEndSignal(leaveBy);
  const terminal = enterRawMode(io, {
    title: `${toVisible(toProcessName(view))} – ${leaveKey.name} leaves`,
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
    // Its errors are still listened to: one that nobody hears ends the program.
    io.stdin.off('data', onTyped).off('end', onClosed).pause();
    io.stdout.off('resize', follow);
    const now = await findEnd(call, terminal).catch(() => null);
    // Whoever came later has it in a size of their own.
    const isStillOurs = now === null || isSameSize(now, terminal.size);
    terminal.giveBack();
    if (!isReadOnly && isStillOurs) await resizeTo(first.screen, call).catch(() => {});
    removeSignals();
  }
}

/** Draws what there is, then what comes. Where something is missing in between, the screen is drawn anew. */
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

/** @returns the offset of the output up to which the screen has seen it. */
async function draw(
  id: string,
  { state, terminal }: { readonly state: StateDirectory; readonly terminal: RawTerminal },
): Promise<number> {
  const captured = await state.capture(id, { withDrawing: true });
  if (!captured.ok) throw new TroupeError({ code: 'unreachable', message: captured.error });
  await terminal.draw(toDrawing(captured));
  return captured.offset;
}

/** Where something secret is on the screen, it is drawn without colours. */
function toDrawing({ drawing, screen: { lines, cursor } }: Captured): string {
  return drawing ?? `${lines.join('\r\n')}\x1b[${cursor.row + 1};${cursor.column + 1}H`;
}

/** What is shown stays where it is, and is not pushed out at the top. */
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
    // Ours may be larger or smaller than any terminal can be; and one that has ended has no size.
    if (!(error instanceof TroupeError)) throw new Error(toErrorText(error), { cause: error });
  });
}

/** Passes on what a person types, in order and one piece at a time: what comes meanwhile goes with the next. */
export interface TypedInput {
  push(bytes: Buffer): void;
}

export function createTypedInput(wiring: {
  write(data: Uint8Array): Promise<WriteResult>;
  /** It was not taken: it has ended, or does not read. */
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
      const result = await wiring.write(data);
      if (!result.ok) wiring.onRefused();
    }
    isWriting = false;
  };
  return {
    push: (bytes) => {
      if (bytes.byteLength === 0) return;
      waiting.push(bytes);
      if (!isWriting) passOn().catch(wiring.onFault);
    },
  };
}
