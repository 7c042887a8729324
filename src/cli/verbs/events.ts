import { once } from 'node:events';
import type { Command } from '@commander-js/extra-typings';
import type { SeenEvent, StateDirectory } from '../../state-directory/state-directory.ts';
import { type CliIo, printNote } from '../cli-io.ts';
import { type EndSignal, onEndSignal } from '../end-signals.ts';
import { exitCodes, toSignalCode } from '../exit-codes.ts';
import { toClockTime } from '../render/local-time.ts';
import { toPrintable } from '../render/printable.ts';
import { toProcessName } from '../render/process-text.ts';
import { addStateFlags, type DefineVerb, type FlagsOf } from '../verb.ts';
import { type VerbInput, withState } from '../with-state.ts';

const addFlags = (command: Command) =>
  addStateFlags(command, { json: 'print each event as JSON, one per line' });

/** Defines `troupe events`. */
export const define: DefineVerb = (command, { name, io, end }) => {
  addFlags(command)
    .description('Prints what happens to the processes of a state directory, as it happens, until Ctrl-C.')
    .addHelpText(
      'after',
      `
The processes of every supervisor are included, those of one that starts later,
too. Each event is written at once. A program that runs for less than a tenth of
a second under a supervisor of its own (run) may be missed.

Examples:
  ${name} events
  ${name} events --json | jq -c 'select(.type == "process.ended") | .process.id'`,
    )
    .action(async (flags) => end(await printEvents({ flags, io })));
};

/** Prints events until a signal comes. @returns the exit code. */
export function printEvents(input: VerbInput<FlagsOf<typeof addFlags>>): Promise<number> {
  const { flags, io } = input;
  const since = Date.now();
  return withState(input, async (state: StateDirectory) => {
    const leaving = new AbortController();
    let leftBy: EndSignal | null = null;
    const removeSignals = onEndSignal((signal) => {
      leftBy = signal;
      leaving.abort();
    });
    const { signal } = leaving;
    try {
      for await (const event of state.events({ since, signal })) {
        const line = flags.json === true ? JSON.stringify(event) : toTextLine(event);
        if (event.type === 'supervisor.unheard' && flags.json !== true) printNote(io, describeUnheard(event));
        else await writeLine(line, { io, signal });
      }
      const left = leftBy as EndSignal | null;
      return left === null ? exitCodes.done : toSignalCode(left);
    } finally {
      removeSignals();
    }
  });
}

function toTextLine(event: SeenEvent): string {
  const subject = 'process' in event ? toProcessName(event.process) : event.supervisorId;
  return toPrintable([toClockTime(event.at), subject, event.type, ...toDetail(event)].join(' '));
}

function toDetail(event: SeenEvent): readonly string[] {
  if (event.type === 'process.ended') return [`(${event.process.status})`];
  if (event.type === 'events.dropped') return [`${event.count} events are missing here: they came too fast`];
  if ('error' in event) return [event.error];
  return 'detail' in event && event.detail !== undefined ? [`(${event.detail})`] : [];
}

function describeUnheard({ supervisorId, why }: Extract<SeenEvent, { type: 'supervisor.unheard' }>): string {
  return `no events of supervisor ${supervisorId}: ${why}`;
}

/** Resolves once stdout accepts more, so that a slow reader does not make memory grow. */
async function writeLine(line: string, { io: { stdout }, signal }: { io: CliIo; signal: AbortSignal }) {
  if (stdout.write(`${line}\n`) || stdout.destroyed) return;
  await once(stdout, 'drain', { signal }).catch(() => {});
}
