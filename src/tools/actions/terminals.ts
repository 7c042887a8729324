import type { WriteFailure, WriteResult } from '../../../machines/process/events.ts';
import type { CaptureAnswer, ScreenCapture, TerminalSize } from '../../../machines/process/terminal.ts';
import type { Cancel } from '../../clock/clock.ts';
import { quote } from '../../config/quote.ts';
import type { CaptureOptions } from '../../config/terminal-options.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import { isEnded, type ProcessView } from '../../process/process-view.ts';
import { findProcess } from '../find-process.ts';
import { orInterrupted } from '../interruption.ts';
import { toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';

/** Screen of a terminal with the view of its process. */
export interface ShownScreen {
  readonly view: ProcessView;
  readonly screen: ScreenCapture;
}

/** Pause in the output after which a screen counts as drawn, on all but the slowest machines. */
const QUIET_MS = 150;
const LONGEST_MS = 1_000;
const LOOK_EVERY_MS = 50;

/** Time to wait for the first output. */
const firstOutputTimeoutMs = { keys: 300, start: LONGEST_MS } as const;

interface SettleDeps extends Pick<ToolContext, 'clock' | 'interrupt'> {
  /** Event that the screen settles after. */
  readonly after: keyof typeof firstOutputTimeoutMs;
  /** Output size before that event. */
  readonly printedBytes: number;
}

/** Returns the screen once it has settled; `null` where it is unavailable. */
export async function captureSettled(
  handle: ProcessHandle,
  settling: SettleDeps,
): Promise<ShownScreen | null> {
  await untilSettled(handle, settling);
  const shown = await readScreen(handle, { scrollbackLines: 0 });
  return 'ok' in shown ? null : shown;
}

/** Returns the current screen and what the process currently waits for. */
async function readScreen(
  handle: ProcessHandle,
  options: CaptureOptions,
): Promise<ShownScreen | Extract<CaptureAnswer, { ok: false }>> {
  const answer = await handle.capture(options);
  if (!answer.ok) return answer;
  await handle.awaitedInput();
  return { view: handle.view(), screen: answer.screen };
}

/** Resolves when the output pauses, the process ends, or the call is interrupted; after 1 s at the latest. */
function untilSettled(
  handle: ProcessHandle,
  { clock, interrupt, after, printedBytes }: SettleDeps,
): Promise<void> {
  return new Promise((resolve) => {
    const sinceMs = clock.nowMs();
    /** End of the current quiet period. */
    let quietUntilMs = sinceMs + firstOutputTimeoutMs[after];
    let bytes = printedBytes;
    let cancel: Cancel = () => {};
    const done = () => {
      cancel();
      interrupt.removeEventListener('abort', done);
      resolve();
    };
    const look = () => {
      const view = handle.view();
      const nowMs = clock.nowMs();
      if (view.output.bytes !== bytes) quietUntilMs = nowMs + QUIET_MS;
      bytes = view.output.bytes;
      const isOver = isEnded(view) || nowMs >= quietUntilMs || nowMs - sinceMs >= LONGEST_MS;
      if (isOver) done();
      else cancel = clock.at(nowMs + LOOK_EVERY_MS, look);
    };
    interrupt.addEventListener('abort', done);
    if (interrupt.aborted) done();
    else cancel = clock.at(sinceMs + LOOK_EVERY_MS, look);
  });
}

/** Returns the screen of a process, or its last one. */
export async function captureScreen(
  { id, scrollbackLines, words }: { id: string; scrollbackLines: number; words: TerminalWords },
  context: ToolContext,
): Promise<Outcome<ShownScreen>> {
  const found = findProcess(id, context);
  if ('ok' in found) return found;
  const shown = await readScreen(found, { scrollbackLines });
  if ('ok' in shown) return refuseTerminal(found, { refusal: shown, instead: words.read });
  return { ok: true, value: shown, reveals: toRevealed(shown.view) };
}

interface KeysRequest {
  readonly id: string;
  readonly typed: TypedKeys;
  /** Captures the screen once it has settled. */
  readonly thenCapture: boolean;
  readonly words: TerminalWords;
}

/** Typed input; a secret is sent alone. */
export type TypedKeys =
  | {
      readonly type: 'keys';
      readonly text: string;
      /** Sends the text as a paste even if it is a single line. */
      readonly isPaste: boolean;
      readonly keys: readonly string[];
      readonly pressEnter: boolean;
    }
  | { readonly type: 'secret'; readonly name: string; readonly pressEnter: boolean };

export interface SentKeys {
  readonly message: string;
  /** `null` where it was not requested or is no longer available. */
  readonly shown: ShownScreen | null;
}

/** Types into the terminal of a process and shows the result. */
export async function sendKeys(request: KeysRequest, context: ToolContext): Promise<Outcome<SentKeys>> {
  const { id, typed, thenCapture, words } = request;
  const found = findProcess(id, context);
  if ('ok' in found) return found;
  const printedBytes = found.view().output.bytes;
  const outcome = await orInterrupted(
    type(found, { typed, interrupt: context.interrupt }),
    context.interrupt,
  );
  if (outcome.type === 'interrupted')
    return { ok: false, error: `Interrupted: process ${id} has perhaps not got all of it.` };
  if (!outcome.value.ok) return refuse(found, { refusal: outcome.value, words });
  const shown = thenCapture ? await captureSettled(found, { ...context, after: 'keys', printedBytes }) : null;
  const view = shown?.view ?? found.view();
  const message = isEnded(view) ? 'Sent, and the process has ended.' : 'Sent.';
  return { ok: true, value: { message, shown }, reveals: shown === null ? [] : toRevealed(view) };
}

function refuse(
  handle: ProcessHandle,
  { refusal, words }: { refusal: WriteResult & { readonly ok: false }; words: TerminalWords },
): Outcome<never> {
  const instead = handle.view().terminal === null ? words.answer : words.write;
  // The library's error for an unknown key names its own field.
  const error = refusal.error.replace('goes into "text"', `goes into ${quote(words.textField)}`);
  return refuseTerminal(handle, { refusal: { ...refusal, error }, instead });
}

async function type(
  handle: ProcessHandle,
  { typed, interrupt }: { typed: TypedKeys; interrupt: AbortSignal },
): Promise<WriteResult> {
  const { pressEnter } = typed;
  if (typed.type === 'secret') return typeSecret(handle, { ...typed, interrupt });
  const { text, isPaste: paste, keys } = typed;
  return handle.sendKeys({ text, paste, keys: [...keys], pressEnter });
}

/** Types a secret. Processes without a terminal take secrets too, but through another tool. */
async function typeSecret(
  handle: ProcessHandle,
  secret: { name: string; pressEnter: boolean; interrupt: AbortSignal },
): Promise<WriteResult> {
  const { name, pressEnter, interrupt } = secret;
  if (handle.view().terminal?.type !== 'terminal') return handle.sendKeys({ pressEnter });
  return handle.writeSecret(name, { pressEnter, signal: interrupt });
}

/** Resizes the terminal of a process. */
export async function resizeTerminal(
  { id, size, words }: { id: string; size: TerminalSize; words: TerminalWords },
  context: ToolContext,
): Promise<Outcome<string>> {
  const found = findProcess(id, context);
  if ('ok' in found) return found;
  const result = await found.resize(size);
  if (!result.ok) return refuseTerminal(found, { refusal: result, instead: words.read });
  return { ok: true, value: `Its terminal has ${size.columns} columns and ${size.rows} rows now.` };
}

/** Hints for processes without a terminal, in the words of the tool in use. */
export interface TerminalWords {
  /** Sentence: how to read its output. */
  readonly read: string;
  /** Sentence: how to answer a process that has a pipe instead of a terminal. */
  readonly write: string;
  /** Sentence: how to answer a process that may have a pipe. */
  readonly answer: string;
  /** Field for text that is typed literally. */
  readonly textField: string;
}

/** Returns the refusal of a terminal action, with a hint. */
function refuseTerminal(
  handle: ProcessHandle,
  { refusal, instead }: { refusal: { code: WriteFailure; error: string }; instead: string },
): Outcome<never> {
  const view = handle.view();
  const { code } = refusal;
  const hint = code === 'noTerminal' || (code === 'broken' && isEnded(view)) ? ` ${instead}` : '';
  const error = `${refusal.error}${hint}`;
  // A tool used on the wrong process has worked correctly.
  return { ok: false, error, reveals: toRevealed(view), ...(code === 'noTerminal' && { worked: true }) };
}
