import type { WriteResult } from '../../../machines/process/events.ts';
import { quote } from '../../config/quote.ts';
import type { ProcessHandle } from '../../process/process-handle.ts';
import { isEnded } from '../../process/process-view.ts';
import { findProcess } from '../find-process.ts';
import { orInterrupted } from '../interruption.ts';
import { toRevealed } from '../process-summary.ts';
import type { ToolContext } from '../tool.ts';
import type { Outcome } from './outcome.ts';

interface WriteRequest {
  readonly id: string;
  readonly input: string;
  /** Name of a secret to write instead. */
  readonly secret?: string | undefined;
  /** Appends a line break unless the input ends with one. */
  readonly newline: boolean;
  /** Sends end-of-file afterwards. */
  readonly endInput: boolean;
  /** Explains, in the words of the tool in use, how to start a process that takes input. */
  readonly hint: string;
}

interface WrittenInput {
  /** `null` for a secret, whose length is confidential. */
  readonly bytesWritten: number | null;
  readonly message: string;
}

/** Writes to the stdin of a process. An incomplete write and its cause are an answer. */
export async function writeInput(
  request: WriteRequest,
  context: ToolContext,
): Promise<Outcome<WrittenInput>> {
  const found = findProcess(request.id, context);
  if ('ok' in found) return found;
  const { input, newline, endInput, hint } = request;
  if (request.secret !== undefined) return writeSecret(found, { ...request, name: request.secret, context });
  const text = newline && input !== '' && !input.endsWith('\n') ? `${input}\n` : input;
  const outcome = await orInterrupted(writeAll(found, { text, endInput }), context.interrupt);
  const bytes = Buffer.byteLength(text);
  if (outcome.type === 'interrupted') {
    return { ok: false, error: `Interrupted: process ${request.id} has not read all of its input yet.` };
  }
  const { ok, bytesWritten } = outcome.value;
  if (!ok) return refuse(found, { result: outcome.value, bytes, hint });
  const end = endInput ? ', then end-of-file' : '';
  return { ok: true, value: { bytesWritten, message: `Wrote ${toBytes(bytesWritten)}${end}.` } };
}

async function writeSecret(
  handle: ProcessHandle,
  { name, newline, endInput, hint, context }: WriteRequest & { name: string; context: ToolContext },
): Promise<Outcome<WrittenInput>> {
  const { interrupt } = context;
  const giving = giveSecret(handle, { name, newline, endInput, interrupt });
  const outcome = await orInterrupted(giving, interrupt);
  if (outcome.type === 'interrupted')
    return { ok: false, error: `Interrupted: the secret ${quote(name)} may not have been written.` };
  const result = outcome.value;
  if (result.ok)
    return { ok: true, value: { bytesWritten: null, message: `Wrote the secret ${quote(name)}.` } };
  if (result.code === 'noInput') return refuse(handle, { result, bytes: 0, hint });
  return { ok: false, error: result.error, reveals: toRevealed(handle.view()) };
}

async function giveSecret(
  handle: ProcessHandle,
  wish: { name: string; newline: boolean; endInput: boolean; interrupt: AbortSignal },
): Promise<WriteResult> {
  const { name, newline, endInput, interrupt } = wish;
  const written = await handle.writeSecret(name, { pressEnter: newline, signal: interrupt });
  return written.ok && endInput ? handle.endInput() : written;
}

async function writeAll(
  handle: ProcessHandle,
  { text, endInput }: { text: string; endInput: boolean },
): Promise<WriteResult> {
  const written: WriteResult = text === '' ? { ok: true, bytesWritten: 0 } : await handle.write(text);
  if (!written.ok || !endInput) return written;
  const ended = await handle.endInput();
  return { ...ended, bytesWritten: written.bytesWritten };
}

function refuse(
  handle: ProcessHandle,
  call: { result: WriteResult & { readonly ok: false }; bytes: number; hint: string },
): Outcome<never> {
  const { result, bytes, hint } = call;
  const view = handle.view();
  const reveals = toRevealed(view);
  if (isEnded(view)) return { ok: false, error: result.error, reveals };
  if (result.code === 'noInput') {
    return { ok: false, error: `Process ${view.id} takes no input: its stdin is closed. ${hint}` };
  }
  return { ok: false, error: `${result.bytesWritten} of ${toBytes(bytes)} were written. ${result.error}` };
}

function toBytes(count: number): string {
  return `${count} ${count === 1 ? 'byte' : 'bytes'}`;
}
