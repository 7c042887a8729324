import { type CliIo, printLines } from '../cli-io.ts';
import { exitCodes } from '../exit-codes.ts';
import { createPage, type Page, type Style } from '../render/page.ts';
import { toPrintable } from '../render/printable.ts';
import { pad } from '../render/wrap.ts';
import type { StateFlags } from '../verb.ts';
import { findStateDirectory } from '../with-state.ts';
import type { Check, Machine } from './check.ts';
import { runChecks } from './run-checks.ts';
import { thisMachine } from './this-machine.ts';

/** Says what of this machine is as troupe needs it. @returns the exit code. */
export async function runDoctor({
  flags,
  io,
  machine = thisMachine({ io, stateDirectory: findStateDirectory({ flag: flags.stateDir, io }) }),
}: {
  readonly flags: StateFlags;
  readonly io: CliIo;
  readonly machine?: Machine;
}): Promise<number> {
  const checks = await runChecks(machine);
  const failed = checks.filter(({ state }) => state === 'fail');
  if (flags.json === true) printLines(io, JSON.stringify({ ok: failed.length === 0, checks }));
  else printLines(io, ...renderChecks(checks, createPage(io.stdout)));
  return failed.length === 0 ? exitCodes.done : exitCodes.failed;
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
