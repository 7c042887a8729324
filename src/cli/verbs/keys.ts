import { buffer } from 'node:stream/consumers';
import type { Command } from '@commander-js/extra-typings';
import type { WriteResult } from '../../../machines/process/events.ts';
import type { KeyOrder } from '../../config/terminal-options.ts';
import { TroupeError } from '../../config/troupe-error.ts';
import { parseKeys } from '../../spawn/terminal/parse-keys.ts';
import type { StateDirectory } from '../../state-directory/state-directory.ts';
import { type CliIo, printError, printLines } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { chooseProcess } from '../find-process.ts';
import { toProcessName } from '../render/process-text.ts';
import { addStateFlags, type DefineVerb, type FlagsOf, idHelp } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

const addFlags = (command: Command) =>
  addStateFlags(
    command
      .argument('<id>', idHelp)
      .argument('[key...]', 'names of keys')
      .option('--text <text>', 'type this text literally')
      .option('--paste <text>', 'paste this in one piece; "-" pastes stdin')
      .option('--enter', 'press Enter at the end'),
    { json: 'print {"ok", "bytesWritten"}', quiet: 'print only errors' },
  );

type KeyFlags = Pick<FlagsOf<typeof addFlags>, 'enter' | 'json' | 'quiet' | 'stateDir'>;

/** Defines `troupe keys`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  const parse = command.parseOptions.bind(command);
  let given: readonly string[] = [];
  command.parseOptions = (words) => {
    given = words;
    return parse(words);
  };
  addFlags(command)
    .description('Types in the terminal of a process.')
    .addHelpText(
      'after',
      `
Keys: Enter, Tab, Escape, Space, Backspace, Delete, Insert, Up, Down, Left,
Right, Home, End, PageUp, PageDown, F1 to F12; with C- for Ctrl, M- for Alt,
S- for Shift: C-c, M-x, S-Tab. A single character is a key, too. Everything is
typed in the order given; --enter comes last.

Examples:
  ${name} keys editor Escape --text :wq --enter
  ${name} keys repl --text 'print(1)' --enter
  ${name} keys server C-c
  ${name} keys repl --paste - --enter < script.py`,
    )
    .action(async (word, _keys, flags) =>
      end(await pressKeys({ word, typed: parseTypingOrder(given, command), flags, io })),
    );
};

type KeyInput = VerbInput<KeyFlags> & { readonly word: string; readonly typed: readonly TypedPart[] };

/**
 * Types the parts of `typed` in order, then Enter if asked to. A paste of `-` pastes stdin. @returns the exit code.
 *
 * @throws TroupeError `invalid-option` without anything to type, or for an unknown key.
 */
export function pressKeys(input: KeyInput): Promise<number> {
  const { flags, io } = input;
  checkKeys(input);
  return withState(input, async (state) => {
    const chosen = await chooseProcess(input.word, { state, io });
    if (chosen === null) return exitCodes.failed;
    const { id } = chosen.view;
    const result = await type(input, { state, id });
    if (flags.json === true) printLines(io, JSON.stringify({ id, ...result }));
    else if (!result.ok) printError(io, result.error);
    else if (flags.quiet !== true) printLines(io, `Typed in ${toProcessName(chosen.view)}${toWhat(input)}.`);
    return result.ok ? exitCodes.done : exitCodes.failed;
  });
}

async function type(
  input: KeyInput,
  { state, id }: { readonly state: StateDirectory; readonly id: string },
): Promise<WriteResult> {
  let bytesWritten = 0;
  for (const order of await toKeyOrders(input)) {
    const result = await state.sendKeys(id, order);
    bytesWritten += result.bytesWritten;
    if (!result.ok) return { ...result, bytesWritten };
  }
  return { ok: true, bytesWritten };
}

/** Merges parts into as few requests as keep the order, because keys of others may come between two requests. */
async function toKeyOrders({ typed, flags, io }: KeyInput): Promise<readonly KeyOrder[]> {
  const orders: { text: string; paste: boolean; keys: string[]; pressEnter: boolean }[] = [];
  for (const part of typed) {
    const last = orders.at(-1);
    if (part.type === 'keys' && last !== undefined) last.keys.push(...part.keys);
    else if (part.type === 'keys')
      orders.push({ text: '', paste: false, keys: [...part.keys], pressEnter: false });
    else {
      const paste = part.type === 'paste';
      const text = paste && part.text === '-' ? await readInput(io) : part.text;
      orders.push({ text, paste, keys: [], pressEnter: false });
    }
  }
  const last = orders.at(-1);
  if (flags.enter !== true) return orders;
  return last === undefined
    ? [{ pressEnter: true }]
    : [...orders.slice(0, -1), { ...last, pressEnter: true }];
}

async function readInput({ stdin }: Pick<CliIo, 'stdin'>): Promise<string> {
  return (await buffer(stdin)).toString();
}

function checkKeys({ flags: { enter }, typed }: KeyInput): void {
  if (typed.length === 0 && enter !== true) {
    const message =
      'there is nothing to type: name keys such as Enter, C-c, Up, F5, or give --text or --paste.';
    throw new TroupeError({ code: 'invalid-option', message });
  }
  const parsed = parseKeys(toKeys(typed));
  if (!parsed.ok)
    throw new TroupeError({
      code: 'invalid-option',
      message: parsed.error.replace('goes into "text"', 'goes into --text'),
    });
}

function toKeys(typed: readonly TypedPart[]): readonly string[] {
  return typed.flatMap((part) => (part.type === 'keys' ? part.keys : []));
}

function toWhat({ typed }: KeyInput): string {
  const keys = toKeys(typed);
  return keys.length === 0 ? '' : `: ${keys.join(' ')}`;
}

/** Part of the input to type. */
export type TypedPart =
  | { readonly type: 'keys'; readonly keys: readonly string[] }
  | { readonly type: 'text' | 'paste'; readonly text: string };

/**
 * Parses keys, texts and pastes in their order on the command line, which commander loses by separating arguments from flags. The first
 * word without a dash is the process.
 */
export function parseTypingOrder(
  words: readonly string[],
  { options }: Pick<Command, 'options'>,
): readonly TypedPart[] {
  const typed: TypedPart[] = [];
  let hasProcess = false;
  let areFlagsOver = false;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const [name = '', ...inline] = word.split('=');
    const flag = areFlagsOver
      ? undefined
      : options.find(({ long, short }) => name === long || word === short);
    if (flag !== undefined) {
      const takesNext = flag.required && inline.length === 0;
      const value = takesNext ? (words[at + 1] ?? '') : inline.join('=');
      if (takesNext) at += 1;
      if (flag.long === '--text') typed.push({ type: 'text', text: value });
      if (flag.long === '--paste') typed.push({ type: 'paste', text: value });
    } else if (word === '--' && !areFlagsOver) areFlagsOver = true;
    else if (hasProcess) typed.push({ type: 'keys', keys: [word] });
    else hasProcess = true;
  }
  return typed;
}
