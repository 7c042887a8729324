import type { Command } from '@commander-js/extra-typings';
import { TroupeError } from '../../../config/troupe-error.ts';
import type { CliIo } from '../../cli-io.ts';
import { collect, parseDuration, parseLimit } from '../../flag-values.ts';
import { limitHelp, parseResourceLimits } from '../../resource-limit-flag.ts';
import { type DefineVerb, type FlagsOf, stateDirFlag } from '../../verb.ts';
import { findStateDirectory } from '../../with-state.ts';
import { hasInput } from './forward-input.ts';
import { checkReplace, parseCommand, parsePlace, parseVariables } from './parse-command.ts';
import type { RunRequest } from './run-request.ts';

const addFlags = (command: Command) =>
  command
    .argument('<command...>', 'the program and its arguments')
    .passThroughOptions()
    .option('-c, --shell', 'the command is one text for the shell')
    .option('--timeout <duration>', 'how long to wait for it (none)')
    .addOption(
      command
        .createOption('--on-timeout <action>', 'what to do with it then (background)')
        .choices(['background', 'kill', 'wait']),
    )
    .option('--max-time <duration>', 'kill it after this time (none)')
    .option('--grace <duration>', 'from the signal that ends it to SIGKILL (5s)')
    .option('--limit <name=value>', 'limit what it may use; can be repeated', collect)
    .option('-b, --background', 'run it in the background from the start')
    .option('--interactive', 'in a terminal of the daemon; Ctrl-] leaves it running')
    .option('-n, --name <label>', 'a label for it, besides its id; one live process has it')
    .option('--replace', 'end the process that has this name first')
    .option('-H, --host <host>', 'run it in a pool of other hosts, such as pool:gpu (local)')
    .option('-C, --cwd <directory>', 'its working directory')
    .option('-e, --env <NAME=value>', 'add to its environment; can be repeated', collect)
    .option('-i, --stdin', 'use pipes at a terminal, too, and forward typed input')
    .option('--json', 'print one JSON object with its output and its end')
    .option(...stateDirFlag);

type RunFlags = FlagsOf<typeof addFlags>;

/** Defines `troupe run`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Runs a command under supervision and ends with its exit code.')
    .usage('[options] [--] <command...>')
    .addHelpText(
      'after',
      `
Options of troupe come before the command, or before --; the rest belongs to the
command. At a terminal the command gets a terminal of its own, which yours
shows; keys go to it, including Ctrl-C and Ctrl-Z. If stdin, stdout or stderr is
redirected, and with --json, --stdin or --timeout, it gets pipes; stdin is
forwarded unless it is a terminal.

Exit code: that of the command; 128+n if signal n ended it, 124 after a time
limit, 126 and 127 as in a shell, 125 if troupe itself failed.

With pipes Ctrl-C is forwarded to the command; a second one kills it at once.
Processes that the command leaves behind are killed, unless it moved to the
background.

With --interactive it runs in a terminal of the daemon, which yours shows.
Leaving it keeps it running; it ends when your terminal is closed.
${limitHelp}

  ${name} run -- npm test
  ${name} run --timeout 10s -- npm run build
  ${name} run --shell "sleep 1 | cat"
  ${name} run --interactive -- vim notes.txt`,
    )
    .action(async (words, flags) => end(await runCommand({ words, flags, io })));
};

interface RunCall {
  readonly words: readonly string[];
  readonly flags: RunFlags;
  readonly io: CliIo;
}

/** Runs one command. @returns the exit code. @throws TroupeError `invalid-option` */
async function runCommand(call: RunCall): Promise<number> {
  checkFlagConflicts(call.flags);
  const order = parseRunRequest(call);
  if (order.isInteractive && !order.background) {
    const { runInteractive } = await import('./run-interactive.ts');
    return runInteractive(order);
  }
  if (order.promotes || order.background) {
    const { runInDaemon } = await import('./run-in-daemon.ts');
    return runInDaemon(order);
  }
  const { runHere } = await import('./run-here.ts');
  return runHere(order);
}

function parseRunRequest({ words, flags, io }: RunCall): RunRequest {
  checkReplace(flags);
  const timeoutMs = flags.timeout === undefined ? 0 : parseLimit(flags.timeout, '--timeout');
  const onTimeout = flags.onTimeout ?? 'background';
  const isShell = flags.shell === true;
  return {
    words,
    isShell,
    command: parseCommand({ words, isShell }),
    place: parsePlace(flags, io),
    env: parseVariables(flags.env ?? []),
    label: flags.name ?? null,
    replaces: flags.replace === true,
    timeoutMs,
    onTimeout,
    maxTimeMs: flags.maxTime === undefined ? 0 : parseLimit(flags.maxTime, '--max-time'),
    graceMs: flags.grace === undefined ? null : parseDuration(flags.grace, '--grace'),
    limits: parseResourceLimits(flags.limit),
    hasInput:
      flags.background !== true &&
      flags.interactive !== true &&
      hasInput(io, { asked: flags.stdin === true }),
    isAtTerminal: isAtTerminal({ io, flags }),
    promotes: timeoutMs > 0 && onTimeout === 'background',
    background: flags.background === true,
    isInteractive: flags.interactive === true,
    json: flags.json === true,
    stateDirectory: findStateDirectory({ flag: flags.stateDir, io }),
    io,
  };
}

/** Returns `false` if a standard stream is redirected or the output is wanted as data; then the command gets pipes. */
function isAtTerminal({ io, flags }: Pick<RunCall, 'io' | 'flags'>): boolean {
  const { stdin, stdout, stderr } = io;
  const isData = flags.json === true || flags.stdin === true;
  return !isData && [stdin, stdout, stderr].every(({ isTTY }) => isTTY === true);
}

/** Rejects flags that make no sense with `--interactive`. @throws TroupeError `invalid-option` */
function checkFlagConflicts({ interactive, background, json, timeout, stdin }: RunFlags): void {
  if (interactive !== true || background === true) return;
  const flag = [
    ...(json === true ? ['--json'] : []),
    ...(timeout === undefined ? [] : ['--timeout']),
    ...(stdin === true ? ['--stdin'] : []),
  ][0];
  if (flag === undefined) return;
  const message = `${flag} cannot be combined with --interactive: leave one out.`;
  throw new TroupeError({ code: 'invalid-option', message });
}
