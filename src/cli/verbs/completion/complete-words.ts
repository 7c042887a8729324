import type { CommandUnknownOpts as Command, Option } from '@commander-js/extra-typings';

/** A completion of the last word. */
export interface Candidate {
  readonly text: string;
  /** A description, or empty. */
  readonly help: string;
}

export interface Completion {
  readonly candidates: readonly Candidate[];
  /** The candidates that the shell adds by itself. */
  readonly also: 'nothing' | 'files' | 'commands';
}

/** Candidates that are looked up only for a word of their kind. */
export interface CompletionSources {
  /** Ids and labels. */
  processes(choice: { readonly live: boolean }): Promise<readonly Candidate[]>;
  agents(): readonly Candidate[];
  schedules(): Promise<readonly Candidate[]>;
  machines(): Promise<readonly Candidate[]>;
}

/** Verbs that apply to live processes only. */
const liveVerbs: readonly string[] = [
  ...['kill', 'signal', 'pause', 'resume', 'write', 'restart', 'extend', 'wait', 'watch'],
  ...['attach', 'keys', 'resize'],
];

/** The keys that `troupe keys --help` names. */
const namedKeys: readonly string[] = [
  ...['Enter', 'Tab', 'Escape', 'Space', 'Backspace', 'Delete', 'Insert'],
  ...['Up', 'Down', 'Left', 'Right', 'Home', 'End', 'PageUp', 'PageDown'],
  ...Array.from({ length: 12 }, (_, index) => `F${index + 1}`),
  ...['C-c', 'C-d', 'C-z'],
];

const nothing: Completion = { candidates: [], also: 'nothing' };

/** Completes a command line: `words` stand behind the program's name, the last one is being typed. */
export async function completeWords(
  words: readonly string[],
  { program, sources }: { readonly program: Command; readonly sources: CompletionSources },
): Promise<Completion> {
  const typed = words.at(-1) ?? '';
  const place = findPlace(words.slice(0, -1), program);
  const found = await offer(place, { typed, sources });
  return { ...found, candidates: found.candidates.filter(({ text }) => text.startsWith(typed)) };
}

interface Place {
  readonly command: Command;
  readonly operands: readonly string[];
  /** The option whose value is typed. */
  readonly awaiting: Option | null;
  /** After `--`, or after the command that is to be run. */
  readonly isBeyond: boolean;
}

function findPlace(before: readonly string[], program: Command): Place {
  let command = program;
  let operands: string[] = [];
  let awaiting: Option | null = null;
  let isBeyond = false;
  for (const word of before) {
    if (awaiting !== null) awaiting = null;
    else if (isBeyond) operands.push(word);
    else if (word === '--') isBeyond = true;
    else if (word.startsWith('-')) awaiting = takesValue(word, command);
    else {
      const next = operands.length === 0 ? command.commands.find((each) => each.name() === word) : undefined;
      if (next !== undefined) [command, operands] = [next, []];
      else operands.push(word);
      isBeyond =
        command.registeredArguments[0]?.name() === 'command' && operands.length > 0 && command !== program;
    }
  }
  return { command, operands, awaiting, isBeyond };
}

function takesValue(word: string, command: Command): Option | null {
  const option = command.options.find(({ long, short }) => word === long || word === short);
  return option !== undefined && (option.required || option.optional) ? option : null;
}

async function offer(
  place: Place,
  { typed, sources }: { readonly typed: string; readonly sources: CompletionSources },
): Promise<Completion> {
  const { command, awaiting, isBeyond, operands } = place;
  if (awaiting !== null) return offerValue(awaiting, sources);
  if (!isBeyond && typed.startsWith('-')) return { candidates: toOptions(command), also: 'nothing' };
  if (command.commands.length > 0 && operands.length === 0) {
    return { candidates: toVerbs(command), also: 'nothing' };
  }
  if (command.parent === null)
    return operands[0] === 'help' ? { candidates: toVerbs(command), also: 'nothing' } : nothing;
  const { registeredArguments } = command;
  const argument =
    registeredArguments[operands.length] ?? registeredArguments.findLast(({ variadic }) => variadic);
  if (argument === undefined) return nothing;
  if (argument.argChoices !== undefined) {
    return { candidates: argument.argChoices.map((text) => ({ text, help: '' })), also: 'nothing' };
  }
  switch (argument.name()) {
    case 'id':
      return {
        candidates: await sources.processes({ live: liveVerbs.includes(command.name()) }),
        also: 'nothing',
      };
    case 'agent':
      return { candidates: sources.agents(), also: 'nothing' };
    case 'schedule':
      return { candidates: await sources.schedules(), also: 'nothing' };
    case 'key':
      return { candidates: namedKeys.map((text) => ({ text, help: '' })), also: 'nothing' };
    case 'machine':
      return { candidates: await sources.machines(), also: 'nothing' };
    case 'command':
      return { candidates: [], also: operands.length === 0 ? 'commands' : 'files' };
    default:
      return { candidates: [], also: 'files' };
  }
}

async function offerValue({ argChoices, flags }: Option, sources: CompletionSources): Promise<Completion> {
  if (flags.endsWith('<process>')) {
    return { candidates: await sources.processes({ live: true }), also: 'nothing' };
  }
  if (argChoices !== undefined) {
    return { candidates: argChoices.map((text) => ({ text, help: '' })), also: 'nothing' };
  }
  return { candidates: [], also: /<(dir|directory|file|path)>/.test(flags) ? 'files' : 'nothing' };
}

function toVerbs(command: Command): readonly Candidate[] {
  const help = command.createHelp();
  return help
    .visibleCommands(command)
    .map((each) => ({ text: each.name(), help: each.summary() || each.description() }));
}

function toOptions(command: Command): readonly Candidate[] {
  const help = command.createHelp();
  return help.visibleOptions(command).flatMap(({ long, short, description }) => {
    const text = long ?? short;
    return text === undefined || text === null ? [] : [{ text, help: description }];
  });
}
