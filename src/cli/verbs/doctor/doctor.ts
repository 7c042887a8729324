import type { Command } from '@commander-js/extra-typings';
import { remoteOptions, SERVERS_VARIABLE } from '../../../config/remote-options.ts';
import { type CliIo, printLines } from '../../cli-io.ts';
import { exitCodes } from '../../exit-codes.ts';
import { readServers } from '../../read-servers.ts';
import { createPage, type Page, type Style } from '../../render/page.ts';
import { toPrintable } from '../../render/printable.ts';
import { pad } from '../../render/wrap.ts';
import { addStateFlags, type DefineVerb, type FlagsOf } from '../../verb.ts';
import { findStateDirectory } from '../../with-state.ts';
import { type Check, type Machine, runChecks } from './checks.ts';
import { thisMachine } from './this-machine.ts';

const addFlags = (command: Command) =>
  addStateFlags(
    command
      .option('--remote', 'check the servers and workers of other hosts instead')
      .option('--servers <urls>', `their addresses, separated by commas ($${SERVERS_VARIABLE})`),
    { json: 'print the checks as one JSON object' },
  );

/** Defines `troupe doctor`. */
export const define: DefineVerb = (command, { io, end }) => {
  addFlags(command)
    .description('Checks Node, the platform, the programs that troupe uses, limits, the state directory.')
    .addHelpText(
      'after',
      `
✓ passed, ! missing but not needed by everybody, ✗ must be fixed: the exit code
is 1. With --remote it connects to the servers, and creates the streams that are
missing there.`,
    )
    .action(async (flags) => end(await runDoctor({ flags, io })));
};

interface DoctorCall {
  readonly flags: FlagsOf<typeof addFlags>;
  readonly io: CliIo;
}

/** Checks this machine, or other hosts, and prints the results. @returns the exit code. */
export async function runDoctor({
  flags,
  io,
  machine = thisMachine({ io, stateDirectory: findStateDirectory({ flag: flags.stateDir, io }) }),
}: DoctorCall & { readonly machine?: Machine }): Promise<number> {
  const isRemote = flags.remote === true || flags.servers !== undefined;
  const checks = isRemote ? await checkRemote({ flags, io }) : await runChecks(machine);
  const failed = checks.filter(({ state }) => state === 'fail');
  if (flags.json === true) printLines(io, JSON.stringify({ ok: failed.length === 0, checks }));
  else printLines(io, ...renderChecks(checks, createPage(io.stdout)));
  return failed.length === 0 ? exitCodes.done : exitCodes.failed;
}

/** @throws TroupeError `invalid-option` without servers. */
async function checkRemote({ flags, io }: DoctorCall): Promise<readonly Check[]> {
  const { parseOptions } = await import('../../../config/parse-options.ts');
  const { runRemoteChecks } = await import('./remote-checks.ts');
  const input = readServers(flags.servers, io);
  return runRemoteChecks(parseOptions(remoteOptions, { input, name: 'doctor' }));
}

const marks: Readonly<Record<Check['state'], { readonly mark: string; readonly style: Style }>> = {
  ok: { mark: '✓', style: 'green' },
  warn: { mark: '!', style: 'yellow' },
  fail: { mark: '✗', style: 'red' },
};

function renderChecks(checks: readonly Check[], { paint }: Page): readonly string[] {
  const width = Math.max(...checks.map(({ name }) => name.length)) + 2;
  return checks.flatMap(({ name, state, says, advice }) => {
    const { mark, style } = marks[state];
    const indent = ' '.repeat(width + 2);
    return [
      `${paint(style, mark)} ${pad(name, width)}${toPrintable(says)}`,
      ...(advice === null ? [] : [`${indent}${paint('dim', toPrintable(advice))}`]),
    ];
  });
}
