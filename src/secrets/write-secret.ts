import type { WriteResult } from '../../machines/process/events.ts';
import { parseOptions } from '../config/parse-options.ts';
import { secretCall } from '../config/secret-source.ts';
import { refuseWrite } from '../spawn/refusals.ts';
import type { SecretResolver } from './secret-resolver.ts';

/** Options of a secret that is written. */
export interface SecretOptions {
  /** Presses Enter in a terminal, writes a line break to a pipe. Default `true`. */
  readonly pressEnter?: boolean | undefined;
  /** The secret itself, where the caller knows it already: then its name need not be one of `secrets`. Default: from its source. */
  readonly value?: string | undefined;
  /** Abort signal: afterwards no source is waited for, no person is asked, and nothing is written. */
  readonly signal?: AbortSignal | undefined;
}

/** The process that is to receive a secret. */
export interface SecretRecipient {
  readonly id: string;
  readonly commandLine: string;
  readonly hasTerminal: boolean;
  /** True if its stdin is a pipe. */
  readonly hasPipe: boolean;
  /** True if the process writes its log file itself, where a secret cannot be redacted. */
  readonly writesOwnLog: boolean;
  readonly ended: Promise<unknown>;
  /** Says why it cannot be written to now; `null` where it can. */
  refuse(): string | null;
  /** Looks now; see `AwaitedInput`. */
  awaitedInput(): Promise<{ readonly kind: string; readonly certainty: string } | null>;
  /** Hides the secret in everything that is shown of the process from now on. */
  hide(secret: string): void;
  write(text: string): Promise<WriteResult>;
  /** Pastes into its terminal. */
  paste(text: string, options: { readonly pressEnter: boolean }): Promise<WriteResult>;
  /** Records the name of a secret that was written. */
  note(name: string): void;
}

interface SecretOrder {
  readonly name: string;
  readonly pressEnter: boolean;
  readonly signal: AbortSignal | null;
}

/**
 * Resolves the secret of that name, hides it in what the process shows, and only then writes it to the process.
 *
 * @throws TroupeError `invalid-option` for a value that cannot be a name.
 */
export function writeSecret(
  order: SecretOrder,
  deps: { readonly recipient: SecretRecipient; readonly resolver: SecretResolver },
): Promise<WriteResult> {
  parseOptions(secretCall, { input: { name: order.name }, name: 'writeSecret' });
  return carryOut(order, deps);
}

async function carryOut(
  order: SecretOrder,
  { recipient, resolver }: { recipient: SecretRecipient; resolver: SecretResolver },
): Promise<WriteResult> {
  const { name, pressEnter } = order;
  const { id, commandLine } = recipient;
  // Checked before a person is asked in vain, and again afterwards: an answer takes time.
  const early = await findObstacle(recipient);
  if (early !== null) return early;
  const unknown = resolver.refuse(name);
  if (unknown !== null) return refuseWrite('invalid', unknown);
  const over = new AbortController();
  void recipient.ended.then(() => over.abort());
  const signal = AbortSignal.any([over.signal, ...(order.signal === null ? [] : [order.signal])]);
  const answer = await resolver.resolve({ name, processId: id, commandLine }, signal);
  const late = await findObstacle(recipient);
  if (late !== null) return late;
  if (order.signal?.aborted) return refuseWrite('invalid', 'Interrupted: the secret was not written.');
  if (!answer.ok) return refuseWrite('invalid', answer.error);
  recipient.hide(answer.value);
  const result = await give(answer.value, { recipient, pressEnter });
  if (result.ok) recipient.note(name);
  return result;
}

/**
 * Pastes into a terminal even a single line: a program that has not asked for marked pastes cannot tell one from typing, and the secret
 * stands in no command line.
 */
async function give(
  value: string,
  { recipient, pressEnter }: { recipient: SecretRecipient; pressEnter: boolean },
): Promise<WriteResult> {
  if (!recipient.hasTerminal) return recipient.write(pressEnter ? `${value}\n` : value);
  return recipient.paste(value, { pressEnter });
}

async function findObstacle(recipient: SecretRecipient): Promise<WriteResult | null> {
  const refusal = recipient.refuse();
  if (refusal !== null) return refuseWrite('notRunning', refusal);
  if (!recipient.hasTerminal && !recipient.hasPipe) {
    const error = `Process ${recipient.id} takes no input: start it with stdin: "pipe" or interactive: true.`;
    return refuseWrite('noInput', error);
  }
  if (!recipient.writesOwnLog) return null;
  const awaited = await recipient.awaitedInput();
  // The output of a program is only a hint: the terminal itself must hide what is typed.
  const isKnown = awaited?.certainty === 'known';
  if (isKnown && awaited.kind === 'secret') return null;
  return refuseWrite('exposed', describeExposure(recipient, { isKnown }));
}

function describeExposure(
  { id, hasTerminal }: SecretRecipient,
  { isKnown }: { readonly isKnown: boolean },
): string {
  const why = `Process ${id} writes its own log file, where a secret cannot be redacted, so the secret was not written`;
  const instead =
    'Or start it again with lifetime "session", in a program whose option "terminal" is "pty": there it is hidden in any case.';
  return hasTerminal
    ? `${why}: its terminal ${isKnown ? 'shows' : 'may show'} what is typed. Write it when the process asks for a secret and the terminal hides what is typed. ${instead}`
    : `${why}: it has no terminal that could hide it. Start it again with lifetime "session".`;
}
