import { type Command, CommanderError } from 'commander';
import { toError } from '../config/error-text.ts';
import { TroupeError, type TroupeErrorCode } from '../config/troupe-error.ts';
import { type CliIo, complain } from './cli-io.ts';
import { describeRefusal } from './describe-refusal.ts';
import { exitCodes } from './exit-code.ts';
import { takeOverrides } from './overrides.ts';
import { createProgram, toUsageText } from './program.ts';

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
    return error instanceof CommanderError ? onUsage(error, { io, program, args }) : onFault(error, io);
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
  const verb = program.commands.find((command) => command.name() === args[0])?.name();
  const help = verb === undefined ? `${program.name()} help` : `${program.name()} ${verb} --help`;
  complain(io, toUsageText(message), `See: ${help}`);
  return exitCodes.usage;
}

/** What a person can set right in the command line or in a file. */
const usageErrors: readonly TroupeErrorCode[] = ['invalid-option', 'unknown-agent', 'invalid-agent-file'];

function onFault(error: unknown, io: CliIo): number {
  const { message, stack } = toError(error);
  if (error instanceof TroupeError) {
    complain(io, message);
    return usageErrors.includes(error.code) ? exitCodes.usage : exitCodes.failed;
  }
  const refusal = describeRefusal(error);
  if (refusal !== null) {
    complain(io, refusal);
    return exitCodes.failed;
  }
  complain(io, `a fault of troupe itself: ${message}`, ...(stack ?? '').split('\n').slice(1, 4));
  return exitCodes.fault;
}
