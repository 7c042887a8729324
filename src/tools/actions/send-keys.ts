import type { WriteResult } from '../../../machines/process/events.ts';
import { quote } from '../../config/quote.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import { findProcess } from '../find-process.ts';
import { orInterrupted } from '../interruption.ts';
import { isEnded, toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import { lookAt, type ShownScreen } from './look-at.ts';
import type { Outcome } from './outcome.ts';
import { refuseTerminal, type TerminalWords } from './terminal-words.ts';

export interface KeysRequest {
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
  const shown = thenCapture ? await lookAt(found, { ...context, after: 'keys', printedBytes }) : null;
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
