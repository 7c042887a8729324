import type { WriteFailure, WriteResult } from '../../../machines/process/events.ts';
import type { CaptureAnswer, ScreenCapture, TerminalSize } from '../../../machines/process/terminal.ts';
import type { Cancel } from '../../clock/clock.ts';
import { quote } from '../../config/quote.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import type { CaptureOptions } from '../../process/process-terminal.ts';
import type { ProcessView } from '../../process/process-view.ts';
import { findProcess } from '../find-process.ts';
import { orInterrupted } from '../interruption.ts';
import { isEnded, toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';

/** What a terminal shows, and how its process is then. */
export interface ShownScreen {
  readonly view: ProcessView;
  readonly screen: ScreenCapture;
}

/** What is typed, or has just been started, is drawn without longer pauses on all but the slowest machines. */
const QUIET_MS = 150;
const LONGEST_MS = 1_000;
const LOOK_EVERY_MS = 50;

/** How long the first sign of life may take. */
const firstOutputTimeoutMs = { keys: 300, start: LONGEST_MS } as const;

interface SettleDeps extends Pick<ToolContext, 'clock' | 'interrupt'> {
  /** What it has been given. */
  readonly after: keyof typeof firstOutputTimeoutMs;
  /** How much it had printed before that. */
  readonly printedBytes: number;
}

/** The screen of a process once it has taken in what it was given; `null` where it cannot be had. */
export async function captureSettled(
  handle: ProcessHandle,
  settling: SettleDeps,
): Promise<ShownScreen | null> {
  await untilSettled(handle, settling);
  const shown = await readScreen(handle, { scrollbackLines: 0 });
  return 'ok' in shown ? null : shown;
}

/** The screen as it is now, with what the process waits for now. */
async function readScreen(
  handle: ProcessHandle,
  options: CaptureOptions,
): Promise<ShownScreen | Extract<CaptureAnswer, { ok: false }>> {
  const answer = await handle.capture(options);
  if (!answer.ok) return answer;
  await handle.awaitedInput();
  return { view: handle.view(), screen: answer.screen };
}

/** Resolves when the process has printed nothing for a moment, has ended, or nobody wants to wait any longer; after 1 s in any case. */
function untilSettled(
  handle: ProcessHandle,
  { clock, interrupt, after, printedBytes }: SettleDeps,
): Promise<void> {
  return new Promise((resolve) => {
    const sinceMs = clock.nowMs();
    /** Until when nothing more may come. */
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

/** What the terminal of a process shows, or showed last. */
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
  /** Looks at the screen once it has taken that in. */
  readonly thenCapture: boolean;
  readonly words: TerminalWords;
}

/** What is typed; a secret comes alone. */
export type TypedKeys =
  | {
      readonly type: 'keys';
      readonly text: string;
      /** The text goes in as a paste, also where it is one line. */
      readonly isPaste: boolean;
      readonly keys: readonly string[];
      readonly pressEnter: boolean;
    }
  | { readonly type: 'secret'; readonly name: string; readonly pressEnter: boolean };

export interface SentKeys {
  readonly message: string;
  /** `null` where it was not wanted, or could not be had any more. */
  readonly shown: ShownScreen | null;
}

/** Types in the terminal of a process, and shows what became of it. */
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
  // Of a key that is none, the field is named as the library has it.
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

/** One without a terminal takes secrets, too, but this is not the way to give them. */
async function typeSecret(
  handle: ProcessHandle,
  secret: { name: string; pressEnter: boolean; interrupt: AbortSignal },
): Promise<WriteResult> {
  const { name, pressEnter, interrupt } = secret;
  if (handle.view().terminal?.type !== 'terminal') return handle.sendKeys({ pressEnter });
  return handle.writeSecret(name, { pressEnter, signal: interrupt });
}

/** Gives the terminal of a process another size. */
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

/** What to do where there is no terminal, in the words of the tools that are used. */
export interface TerminalWords {
  /** How to see what it printed: a sentence. */
  readonly read: string;
  /** How to answer a process that has got a pipe in place of its terminal: a sentence. */
  readonly write: string;
  /** The same for one that perhaps has a pipe. */
  readonly answer: string;
  /** The field for text that is typed as it stands. */
  readonly textField: string;
}

/** The answer where a terminal was asked for something in vain. */
function refuseTerminal(
  handle: ProcessHandle,
  { refusal, instead }: { refusal: { code: WriteFailure; error: string }; instead: string },
): Outcome<never> {
  const view = handle.view();
  const { code } = refusal;
  const hint = code === 'noTerminal' || (code === 'broken' && isEnded(view)) ? ` ${instead}` : '';
  const error = `${refusal.error}${hint}`;
  // A tool that was used on the wrong process does what it should.
  return { ok: false, error, reveals: toRevealed(view), ...(code === 'noTerminal' && { worked: true }) };
}
