import type { Command } from '@commander-js/extra-typings';
import { createRealClock } from '../../../clock/real-clock.ts';
import { ownId } from '../../../config/own-id.ts';
import type { CommandSpec } from '../../../config/process-spec.ts';
import { quote } from '../../../config/quote.ts';
import { TroupeError } from '../../../config/troupe-error.ts';
import { describeEnd } from '../../../process/describe-end.ts';
import { describeUnstarted, type ProcessView, REMOTE_START_MS } from '../../../process/process-view.ts';
import { printBackgroundHints, printTerminalHint } from '../../background-hints.ts';
import { type CliIo, printError, printLines, printNote } from '../../cli-io.ts';
import { exitCodes, toProcessExitCode } from '../../exit-codes.ts';
import { collect, parseDuration, parseLimit, parseRestart, parseSize } from '../../flag-values.ts';
import { type Daemon, interactiveDefaults, type OpenDaemon, openDaemon } from '../../open-daemon.ts';
import { limitHelp, parseResourceLimits } from '../../resource-limit-flag.ts';
import { startAlone } from '../../start-alone.ts';
import { type DefineVerb, type FlagsOf, stateDirFlag } from '../../verb.ts';
import { findStateDirectory, type OpenState, withState } from '../../with-state.ts';
import {
  checkReplace,
  parseCommand,
  parsePlace,
  parseVariables,
  suggestShell,
} from '../run/parse-command.ts';
import { parseReadiness } from './parse-readiness.ts';
import { waitUntilReady, waitUntilStarted } from './start-progress.ts';

const addFlags = (command: Command) =>
  command
    .argument('<command...>', 'the program and its arguments')
    .passThroughOptions()
    .option('-c, --shell', 'the command is one text for the shell')
    .option('-n, --name <label>', 'a label for it, besides its id; one live process has it')
    .option('--replace', 'end the process that has this name first')
    .option('--id <id>', 'an id of your own; what was started with it is not started again')
    .option('-H, --host <host>', 'run it in a pool of other hosts, such as pool:gpu (local)')
    .option('-C, --cwd <directory>', 'its working directory')
    .option('-e, --env <NAME=value>', 'add to its environment; can be repeated', collect)
    .option('--ready <condition>', 'wait until it is ready; can be repeated', collect)
    .option('--ready-within <duration>', 'how long that may take (30s)')
    .option('--no-wait', 'do not wait until it is ready')
    .addOption(createRestartOption(command))
    .option('--max-time <duration>', 'kill it after this time (none)')
    .option('--grace <duration>', 'from the signal that ends it to SIGKILL (5s)')
    .option('--limit <name=value>', 'limit what it may use; can be repeated', collect)
    .option('--session', 'end it with the daemon')
    .option('-i, --stdin', 'give it an input, which write writes to')
    .option('--interactive', 'give it a terminal')
    .option('--size <size>', 'columns and rows of its terminal (80x24)')
    .option('-q, --quiet', 'print only the id')
    .option('--json', 'print everything about it as one JSON object')
    .option(...stateDirFlag);

/** Creates `--restart`. Its choices are for help and completion: `parseRestart` takes the other words of stack files, too. */
function createRestartOption(command: Command) {
  const option = command.createOption('--restart <when>', 'restart it after it has ended (never)');
  option.argChoices = ['never', 'on-failure', 'always'];
  return option;
}

/** Defines `troupe start`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Starts a command in the background, in this environment, and prints its id.')
    .usage('[options] [--] <command...>')
    .addHelpText(
      'after',
      `
Conditions for --ready; all that are given must be met:
  line:TEXT, line:/EXPRESSION/   a line of its output
  port:NUMBER                    it listens on this port
  http:URL                       an answer 2xx or 3xx
  file:PATH                      the file appears
  alive:DURATION                 it has run for this long
${limitHelp}

It runs in a daemon that starts on demand and ends when idle. Without --session
it continues when the daemon ends, and the next one adopts it. With
--interactive that requires tmux; without tmux it ends with the daemon.

  id=$(${name} start --name web --ready port:3000 -- npm run dev)
  ${name} logs -f web
  ${name} start --name web --replace -- npm run dev
  ${name} kill web
  ${name} start --id nightly-2026-11-23 -- ./backup.sh
  ${name} start --name repl --stdin -- python3 -i && ${name} write repl '1 + 1'
  ${name} start --name editor --interactive -- vim && ${name} attach editor`,
    )
    .action(async (words, flags) => end(await startCommand({ words, flags, io })));
};

interface StartCall {
  readonly words: readonly string[];
  readonly flags: FlagsOf<typeof addFlags>;
  readonly io: CliIo;
  readonly open?: OpenState;
  readonly daemon?: OpenDaemon;
}

/**
 * Starts a command in the daemon and prints its id. @returns the exit code.
 *
 * @throws TroupeError for a mistake in the command line, or a refused start.
 */
async function startCommand({ words, flags, io, open, daemon = openDaemon }: StartCall): Promise<number> {
  const isShell = flags.shell === true;
  const spec = readSpec({ words, flags, io });
  const directory = findStateDirectory({ flag: flags.stateDir, io });
  const client = await daemon({ directory });
  const input = { flags: { stateDir: directory }, io, ...(open !== undefined && { open }) };
  try {
    return await withState(input, async (state) => {
      const replaces = flags.replace === true;
      const beganAt = Date.now();
      const alone = { state, replaces, io, id: flags.id };
      const { id, createdAt } = await startAlone(flags.name, alone, () => startIn(client, spec));
      const view = await waitUntilStarted(id, {
        state,
        clock: createRealClock(),
        maxQueueMs: REMOTE_START_MS,
      });
      if (createdAt < beganAt && flags.quiet !== true) printNote(io, describeEarlier(view));
      if (view.status === 'pending' && view.host != null && flags.quiet !== true)
        printNote(io, `${describeUnstarted(view.host)} yet; it starts when a worker takes it`);
      if ('reason' in view && view.reason.type === 'spawnFailed') {
        printError(io, view.reason.message, ...suggestShell({ words, isShell }));
        return toProcessExitCode({ reason: view.reason, exit: null });
      }
      printLines(io, flags.json === true ? JSON.stringify(view) : id);
      if (flags.quiet !== true) printTerminalHint(view, { asked: spec.lifetime ?? 'session', io });
      if (spec.ready !== undefined && flags.wait) {
        const isReady = await waitUntilReady(view, { state, io });
        if (!isReady) return exitCodes.failed;
      }
      if (io.stderr.isTTY && flags.quiet !== true) printBackgroundHints(id, io);
      return exitCodes.done;
    });
  } finally {
    client.close();
  }
}

/** Says that the command was started before, and what became of it. */
function describeEarlier(view: ProcessView): string {
  const now =
    'reason' in view
      ? `it ${describeEnd(view.reason, 'exit' in view ? view.exit : null)}`
      : `it is ${view.status}`;
  return `${view.id} was started before, and is not started again: ${now}`;
}

/** Starts the command; without tmux, which a terminal needs to outlive the daemon, it starts as a session process. */
async function startIn(client: Daemon, spec: CommandSpec): Promise<ProcessView> {
  if (spec.interactive !== true || spec.lifetime === 'session') return client.start(spec);
  try {
    return await client.start(spec);
  } catch (error) {
    if (!(error instanceof TroupeError) || error.code !== 'invalid-option') throw error;
    return client.start({ ...spec, lifetime: 'session' }).catch(() => {
      // The terminal was not the reason for the refusal.
      throw error;
    });
  }
}

/** @throws TroupeError `invalid-option` */
function checkId({ id, replace }: Pick<StartCall['flags'], 'id' | 'replace'>): void {
  if (id === undefined) return;
  const problem = ownId.safeParse(id).error?.issues[0]?.message;
  if (problem !== undefined)
    throw new TroupeError({ code: 'invalid-option', message: `--id is ${quote(id)}; expected ${problem}.` });
  if (replace !== true) return;
  const message = '--replace starts the command again, and --id starts it once. Use one of them.';
  throw new TroupeError({ code: 'invalid-option', message });
}

function readSpec({ words, flags, io }: Pick<StartCall, 'words' | 'flags' | 'io'>): CommandSpec {
  if (flags.size !== undefined && flags.interactive !== true) {
    const message = '--size needs --interactive.';
    throw new TroupeError({ code: 'invalid-option', message });
  }
  checkReplace(flags);
  checkId(flags);
  const ready = parseReadiness(flags.ready ?? [], flags.readyWithin);
  const limits = parseResourceLimits(flags.limit);
  return {
    ...interactiveDefaults,
    kind: 'service',
    command: parseCommand({ words, isShell: flags.shell === true }),
    ...parsePlace(flags, io),
    env: parseVariables(flags.env ?? []),
    lifetime: flags.session === true ? 'session' : 'persistent',
    maxBackgroundTime: flags.maxTime === undefined ? 0 : parseLimit(flags.maxTime, '--max-time'),
    restart: { policy: parseRestart(flags.restart ?? 'never', '--restart') },
    ...(flags.grace !== undefined && { killGrace: parseDuration(flags.grace, '--grace') }),
    ...(limits !== undefined && { resourceLimits: limits }),
    ...(flags.id !== undefined && { id: flags.id }),
    ...(flags.name !== undefined && { label: flags.name }),
    ...(ready !== null && { ready }),
    ...(flags.stdin === true && { stdin: 'pipe' }),
    ...(flags.interactive === true && { interactive: true }),
    ...(flags.size !== undefined && { size: parseSize(flags.size, '--size') }),
  };
}
