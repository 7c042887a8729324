import type { WriteResult } from '../../machines/process/events.ts';
import { parseOptions } from '../config/parse-options.ts';
import { secretCall } from '../config/secret-source.ts';
import { refuseWrite } from '../spawn/tree-commands.ts';
import type { ProcessPlan } from './process-plan.ts';
import type { AwaitedInput } from './process-view.ts';
import type { SecretBook } from './secret-book.ts';

/** What may be said of the way in which a secret is written. */
export interface SecretOptions {
  /** Enter in a terminal, a line break in a pipe. Default `true`. */
  readonly pressEnter?: boolean;
  /** The secret itself, where the caller knows it already: then its name need not be one of `secrets`. */
  readonly value?: string;
  /** Once it is aborted no source is waited for, no person is asked any more, and nothing is written. */
  readonly signal?: AbortSignal;
}

/** A process that is to be given a secret. */
export interface SecretReader {
  readonly plan: ProcessPlan;
  /** In words why it cannot be written to now; `null` where it can. */
  refuse(): string | null;
  /** Looks now. */
  awaitedInput(): Promise<AwaitedInput | null>;
  readonly ended: Promise<unknown>;
  /** Hides it in everything that is shown of the process from now on. */
  hide(secret: string): void;
  write(text: string): Promise<WriteResult>;
  /** In its terminal. */
  paste(text: string, options: { readonly pressEnter: boolean }): Promise<WriteResult>;
  /** It went in: the name, for the timeline. */
  note(name: string): void;
}

interface SecretOrder {
  readonly name: string;
  readonly pressEnter: boolean;
  readonly signal: AbortSignal | null;
}

/**
 * Finds the secret of that name, hides it in what the process shows, and only then gives it to the process.
 *
 * @throws TroupeError `invalid-option` where the name is none.
 */
export function writeSecret(
  order: SecretOrder,
  world: { readonly reader: SecretReader; readonly book: SecretBook },
): Promise<WriteResult> {
  parseOptions(secretCall, { input: { name: order.name }, name: 'writeSecret' });
  return carryOut(order, world);
}

async function carryOut(
  order: SecretOrder,
  { reader, book }: { reader: SecretReader; book: SecretBook },
): Promise<WriteResult> {
  const { name, pressEnter } = order;
  const { id, commandLine } = reader.plan;
  // Before a person is asked for nothing, and again when that has taken its time.
  const early = await findObstacle(reader);
  if (early !== null) return early;
  const unknown = book.refuse(name);
  if (unknown !== null) return refuseWrite('invalid', unknown);
  const over = new AbortController();
  void reader.ended.then(() => over.abort());
  const signal = AbortSignal.any([over.signal, ...(order.signal === null ? [] : [order.signal])]);
  const answer = await book.read({ name, processId: id, commandLine }, signal);
  const late = await findObstacle(reader);
  if (late !== null) return late;
  if (order.signal?.aborted) return refuseWrite('invalid', 'Interrupted: the secret was not written.');
  if (!answer.ok) return refuseWrite('invalid', answer.error);
  reader.hide(answer.value);
  const result = await give(answer.value, { reader, pressEnter });
  if (result.ok) reader.note(name);
  return result;
}

/**
 * In a terminal as a paste, also where it is one line: whoever has not asked for pastes to be marked cannot tell them from typing, and no
 * command line has it in it.
 */
async function give(
  value: string,
  { reader, pressEnter }: { reader: SecretReader; pressEnter: boolean },
): Promise<WriteResult> {
  if (!hasTerminal(reader.plan)) return reader.write(pressEnter ? `${value}\n` : value);
  return reader.paste(value, { pressEnter });
}

async function findObstacle(reader: SecretReader): Promise<WriteResult | null> {
  const { plan } = reader;
  const refusal = reader.refuse();
  if (refusal !== null) return refuseWrite('notRunning', refusal);
  if (!hasTerminal(plan) && plan.launch.stdin !== 'pipe') {
    const error = `Process ${plan.id} takes no input: start it with stdin: "pipe" or interactive: true.`;
    return refuseWrite('noInput', error);
  }
  if (!plan.output.direct || hidesItself(await reader.awaitedInput())) return null;
  return refuseWrite('exposed', describeExposure(plan));
}

/** By the state of its terminal: by what it prints, a program can only be taken for one that hides what is typed. */
function hidesItself(awaited: AwaitedInput | null): boolean {
  return awaited?.kind === 'secret' && awaited.certainty === 'known';
}

function describeExposure(plan: ProcessPlan): string {
  const { id } = plan;
  const why = `Process ${id} writes its log by itself, where a secret cannot be taken out, and the secret was not written`;
  const instead =
    'Or start it anew with lifetime "session", in a program whose option "terminal" is "pty": there it is hidden in any case.';
  return hasTerminal(plan)
    ? `${why}: its terminal shows what is typed. Write it when the process asks for a secret and the terminal hides what is typed. ${instead}`
    : `${why}: it has no terminal that could hide it. Start it anew with lifetime "session".`;
}

function hasTerminal({ terminal }: ProcessPlan): boolean {
  return terminal?.type === 'terminal';
}
