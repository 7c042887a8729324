import { type Command, CommanderError } from 'commander';
import { type CliIo, printError } from './cli-io.ts';
import { exitCodes } from './exit-code.ts';
import { takeOverrides } from './overrides.ts';
import { createProgram, toUsageText } from './program.ts';
import { printFault } from './tell-fault.ts';

/** Verbs that take dotted settings. */
const runAgents: readonly string[] = ['chat', 'exec'];

/** @returns the exit code; what goes wrong stands on stderr. Never rejects. */
export async function runVerb(args: readonly string[], io: CliIo): Promise<number> {
  let exitCode: number = exitCodes.done;
  const { rest, overrides } = runAgents.includes(args[0] ?? '')
    ? takeOverrides(args)
    : { rest: args, overrides: [] };
  const end = (code: number) => {
    exitCode = code;
  };
  const program = createProgram({ io, overrides, end });
  try {
    if (args.length === 0) program.help({ error: true });
    await program.parseAsync(withoutVainHelp(rest, program), { from: 'user' });
    return exitCode;
  } catch (error) {
    return error instanceof CommanderError ? onUsage(error, { io, program, args }) : printFault(error, io);
  }
}

/** `help` for a verb that is not there is the same mistake as that verb; commander would print all of its help, and no word why. */
function withoutVainHelp(args: readonly string[], { commands }: Command): readonly string[] {
  const [first, wanted] = args;
  const isVain = first === 'help' && wanted !== undefined && commands.every((verb) => verb.name() !== wanted);
  return isVain ? [wanted] : args;
}

/** Help and version end commander with an error, too. */
function onUsage(
  { exitCode, code, message }: CommanderError,
  { io, program, args }: { io: CliIo; program: Command; args: readonly string[] },
): number {
  // Help that was not asked for stands on stderr, and says by itself what to do.
  if (code === 'commander.help' || exitCode === 0) return exitCode === 0 ? exitCodes.done : exitCodes.usage;
  const verbs = toVerbs(args, program);
  const help = verbs.length === 0 ? 'help' : `${verbs.join(' ')} --help`;
  printError(io, toUsageText(message), `See: ${program.name()} ${help}`);
  return exitCodes.usage;
}

/** The words that name a verb, and one of its own: `process kill`. */
function toVerbs([word, ...rest]: readonly string[], { commands }: Command): readonly string[] {
  const verb = commands.find((command) => command.name() === word);
  return verb === undefined ? [] : [verb.name(), ...toVerbs(rest, verb)];
}
