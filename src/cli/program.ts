import type { Command } from '@commander-js/extra-typings';
import { CommanderError, createCommand } from 'commander';
import { type CliIo, printError, toProgramName } from './cli-io.ts';
import { exitCodeHelp, exitCodes } from './exit-codes.ts';
import { describeAliases, normalizeLine } from './normalize-line.ts';
import { printFault } from './print-fault.ts';
import { toPrintable } from './render/printable.ts';
import type { VerbContext } from './verb.ts';
import { type VerbEntry, verbGroups } from './verbs.ts';
import { readVersion } from './version.ts';

/** Verbs that accept dotted settings. */
const runAgents: readonly string[] = ['chat', 'exec'];

/** Runs one command line; errors are printed to stderr. Never rejects. @returns the exit code. */
export async function runProgram(given: readonly string[], io: CliIo): Promise<number> {
  const args = normalizeLine(given);
  let exitCode: number = exitCodes.done;
  const { rest, overrides } = runAgents.includes(args[0] ?? '')
    ? takeOverrides(args)
    : { rest: args, overrides: [] };
  const end = (code: number) => {
    exitCode = code;
  };
  const program = createProgram(io);
  try {
    await addAllVerbs(program, { paths: toVerbPaths(args), io, overrides, end });
    if (args.length === 0) program.help({ error: true });
    await program.parseAsync(withoutUnknownHelp(rest, program), { from: 'user' });
    return exitCode;
  } catch (error) {
    return error instanceof CommanderError ? onUsage(error, { io, program, args }) : printFault(error, io);
  }
}

/** Creates the program without its verbs. Invalid command lines throw a CommanderError; commander prints nothing for them. */
function createProgram({ env, stdout, stderr }: CliIo): Command {
  // The typings package is commander with better types; it is not installed at run time.
  return (createCommand(toProgramName(env)) as unknown as Command)
    .description('Supervised processes, for people and for agents.')
    .version(readVersion(), '-v, --version', 'print the version')
    .helpOption('-h, --help', 'print this help')
    .usage('<command> [options]')
    .configureOutput({
      writeOut: (text) => void stdout.write(text),
      writeErr: (text) => void stderr.write(text),
      outputError: () => {},
    })
    .configureHelp({
      subcommandTerm: (verb) => `${verb.name()} ${verb.usage()}`.trim(),
    })
    .exitOverride()
    .showSuggestionAfterError()
    .enablePositionalOptions()
    .addHelpText('after', exitCodeHelp);
}

interface Adding extends Omit<VerbContext, 'program' | 'name'> {
  /** Command lines that begin with the names of verbs to load. All other verbs only appear in the list of commands. */
  readonly paths: readonly (readonly string[])[];
}

async function addAllVerbs(program: Command, adding: Adding): Promise<void> {
  const context = { ...adding, program, name: program.name() };
  for (const [heading, verbs] of Object.entries(verbGroups)) {
    program.commandsGroup(heading);
    await addVerbs(program, verbs, context);
  }
  // Added last, so that it appears in the last group.
  program.helpCommand('help [command]', 'print the help of a command');
}

async function addVerbs(
  parent: Command,
  verbs: Readonly<Record<string, VerbEntry>>,
  context: VerbContext & Adding,
): Promise<void> {
  for (const [name, entry] of Object.entries(verbs)) {
    const command = parent.command(name, { hidden: entry.isHidden === true }).summary(entry.summary);
    const paths = context.paths.filter(([first]) => first === name);
    if (paths.length === 0) {
      if (entry.usage !== undefined) command.usage(entry.usage);
      continue;
    }
    command.addHelpText('after', () => (command.parent?.parent === null ? describeAliases(entry) : ''));
    (await entry.load()).define(command, context);
    if (entry.verbs === undefined) continue;
    await addVerbs(command, entry.verbs, { ...context, paths: paths.map((path) => path.slice(1)) });
  }
}

/** Returns the command line, and the one that it asks to explain or complete. */
function toVerbPaths(args: readonly string[]): readonly (readonly string[])[] {
  const [first, ...rest] = args;
  if (first === 'help') return [rest];
  if (first === '__complete') return [args, ...toVerbPaths(rest[0] === '--' ? rest.slice(1) : rest)];
  return [args];
}

/** Turns `help` for an unknown verb into a call of that verb, which is an error. Commander would print the whole help instead. */
function withoutUnknownHelp(args: readonly string[], { commands }: Command): readonly string[] {
  const [first, wanted] = args;
  const isUnknown =
    first === 'help' && wanted !== undefined && commands.every((verb) => verb.name() !== wanted);
  return isUnknown ? [wanted] : args;
}

/** Reports a command line that commander ended early, with help or version as well as with a mistake. */
function onUsage(
  { exitCode, code, message }: CommanderError,
  { io, program, args }: { io: CliIo; program: Command; args: readonly string[] },
): number {
  // Without a command, commander has printed the help already.
  if (code === 'commander.help' || exitCode === 0) return exitCode === 0 ? exitCodes.done : exitCodes.usage;
  const verbs = toVerbNames(args, program);
  const help = verbs.length === 0 ? 'help' : `${verbs.join(' ')} --help`;
  printError(io, toUsageText(message), `See: ${program.name()} ${help}`);
  return exitCodes.usage;
}

/** Returns the leading words that name a verb, with a subcommand if there is one: `process kill`. */
function toVerbNames(
  [word, ...rest]: readonly string[],
  { commands }: Pick<Command, 'commands'>,
): readonly string[] {
  const verb = commands.find((command) => command.name() === word);
  return verb === undefined ? [] : [verb.name(), ...toVerbNames(rest, verb)];
}

/** Converts a message of commander to our style: without `error:` and line breaks, and with a period at the end. */
function toUsageText(message: string): string {
  return toPrintable(message)
    .replace(/^error: /, '')
    .replace(/\s*\(Did you mean (.*?)\?\)$/s, '. Did you mean $1?')
    .replace(/([^.?])$/, '$1.');
}

const DOTTED = /^--[a-z_]+(?:\.[\w*-]+)+(?<value>=.*)?$/s;

/**
 * Takes the dotted settings of an agent, such as `--supervisor.default_timeout=60`, out of a command line: they are too many to
 * declare as flags. The value follows `=` or is the next word. Words after `--` are left unchanged.
 */
export function takeOverrides(args: readonly string[]): {
  /** The settings, as `--section.key=value`. */
  readonly overrides: readonly string[];
  readonly rest: readonly string[];
} {
  const overrides: string[] = [];
  const rest: string[] = [];
  const left = [...args];
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--') {
      rest.push(word, ...left.splice(0));
    } else if (!DOTTED.test(word)) {
      rest.push(word);
    } else {
      overrides.push(word.includes('=') ? word : `${word}=${takeValue(left)}`);
    }
  }
  return { overrides, rest };
}

/** Takes the value of a setting; without one it is `true`. */
function takeValue(left: string[]): string {
  return left[0] === undefined || left[0].startsWith('-') ? 'true' : (left.shift() ?? 'true');
}
