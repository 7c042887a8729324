import type { Command } from '@commander-js/extra-typings';
import { describeEnd } from '../../../process/describe-end.ts';
import type { FinalView } from '../../../process/process-view.ts';
import { printLines } from '../../cli-io.ts';
import { toProcessExitCode } from '../../exit-codes.ts';
import { toPrintable } from '../../render/printable.ts';
import { toProcessName } from '../../render/process-text.ts';
import { addStateFlags, type DefineVerb, idHelp } from '../../verb.ts';
import { parseConditions, waitForConditions } from './conditions.ts';
import { type WaitInput, waitForEach } from './wait-for-each.ts';

const addFlags = (command: Command) =>
  addStateFlags(
    command
      .argument('<id...>', idHelp)
      .option('--timeout <duration>', 'wait no longer, and end with 124 (none)')
      .option('--exit', 'until it has ended (the default without a condition)')
      .option('--ready', 'until it is ready as declared at its start')
      .option('--text <text>', 'until a line of its output contains this')
      .option('--pattern <pattern>', 'until a line matches this regular expression')
      .option('--port <port>', 'until it listens on this port')
      .option('--port-free <port>', 'until this port is free')
      .option('--http <url>', 'until this address answers 2xx or 3xx')
      .option('--file <path>', 'until this file has been written since its start')
      .option('--quiet-for <duration>', 'until it has been silent for this long')
      .option('--input', 'until it waits for input')
      .option('--any', 'one of the conditions is enough (the default)')
      .option('--all', 'every condition must have been met'),
    { json: 'print each result as JSON, one per line', quiet: 'print only errors' },
  );

/** Defines `troupe wait`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Waits until processes have ended, or until conditions are met.')
    .addHelpText(
      'after',
      `
Ends with the exit code of the process: 128+n after signal n, 124 after a time
limit. For several processes it is the first code that is not 0, in the order
given. Ctrl-C and --timeout end only the wait.

With conditions it ends with 0 once they are met, and with 1 once they cannot be
met any more, because the process has ended or another one holds the port. Lines
printed earlier count. A file older than the process does not, and a relative
path starts from the directory of the process.

Examples:
  ${name} wait build && echo it worked
  ${name} wait --timeout 5m build tests || echo "code $?"
  ${name} wait web --port 3000 --text ready --all --timeout 30s`,
    )
    .action(async (words, flags) => {
      const order = parseConditions(flags);
      const input = { words, flags, io };
      end(await (order === null ? waitForProcesses(input) : waitForConditions({ ...input, order })));
    });
};

/** Waits until processes have ended, without touching them. @returns the first of their exit codes that is not 0. */
export function waitForProcesses(input: WaitInput): Promise<number> {
  return waitForEach(input, {
    wait: (state, { id, signal }) => state.wait(id, { signal }),
    report: (view) => printEnd(view, input),
    toExitCode: (views) => views.map(toProcessExitCode).find((code) => code !== 0) ?? 0,
    late: ' had not ended',
  });
}

function printEnd(view: FinalView, { flags, io }: WaitInput): void {
  if (flags.json === true) printLines(io, JSON.stringify(view));
  else if (flags.quiet !== true) {
    printLines(io, toPrintable(`${toProcessName(view)} ${describeEnd(view.reason, view.exit)}.`));
  }
}
